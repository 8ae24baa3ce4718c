// A file descriptor that is closed with its owner.
#pragma once

#include <utility>

#include <unistd.h>

namespace reckon::bundle {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { (void)Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      (void)Close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  int get() const { return number_; }
  bool ok() const { return number_ >= 0; }
  // It is another one's to close now.
  void Release() { number_ = -1; }
  // False, with errno: what was written may be lost.
  bool Close() { return number_ < 0 || close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace reckon::bundle
