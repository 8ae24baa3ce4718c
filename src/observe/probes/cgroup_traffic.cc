#include "observe/probes/cgroup_traffic.h"

#include <array>
#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_error.h"

namespace reckon::observe {
namespace {

int Bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

uint64_t Pointer(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// One instruction, in the order of the kernel's own macros.
constexpr bpf_insn Instruction(int code, int to, int from, int offset, int value) {
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(to), static_cast<uint8_t>(from),
          static_cast<int16_t>(offset), value};
}
constexpr bpf_insn Load(int size, int to, int from, size_t offset) {
  return Instruction(BPF_LDX | size | BPF_MEM, to, from, static_cast<int>(offset), 0);
}
constexpr bpf_insn Move(int to, int from) {
  return Instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
constexpr bpf_insn Set(int to, int value) {
  return Instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}
constexpr bpf_insn JumpIf(int condition, int left, int value, int over) {
  return Instruction(BPF_JMP | condition | BPF_K, left, 0, over, value);
}
constexpr bpf_insn Call(int function) { return Instruction(BPF_JMP | BPF_CALL, 0, 0, 0, function); }
// *(u64*)(to + offset) += from, at once for all processors.
constexpr bpf_insn Add(int to, size_t offset, int from) {
  return Instruction(BPF_STX | BPF_ATOMIC | BPF_DW, to, from, static_cast<int>(offset), BPF_ADD);
}

int MakeMap() {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = sizeof(uint32_t);
  attributes.value_size = sizeof(CgroupTraffic::Totals);
  attributes.max_entries = 1;
  return Bpf(BPF_MAP_CREATE, attributes);
}

// When a connection is made: ask to be called when its state changes. When it ends: add what it
// carried to the one entry of the map.
int LoadProgram(int map) {
  using Totals = CgroupTraffic::Totals;
  constexpr int kContext = BPF_REG_6;
  const std::array program{
      Move(kContext, BPF_REG_1),
      Load(BPF_W, BPF_REG_1, kContext, offsetof(bpf_sock_ops, op)),
      JumpIf(BPF_JEQ, BPF_REG_1, BPF_SOCK_OPS_STATE_CB, 6),
      JumpIf(BPF_JEQ, BPF_REG_1, BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB, 1),
      JumpIf(BPF_JNE, BPF_REG_1, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB, 19),
      Move(BPF_REG_1, kContext),
      Set(BPF_REG_2, BPF_SOCK_OPS_STATE_CB_FLAG),
      Call(BPF_FUNC_sock_ops_cb_flags_set),
      Instruction(BPF_JMP | BPF_JA, 0, 0, 15, 0),
      // The state that follows is the second argument.
      Load(BPF_W, BPF_REG_1, kContext, offsetof(bpf_sock_ops, args) + sizeof(uint32_t)),
      JumpIf(BPF_JNE, BPF_REG_1, BPF_TCP_CLOSE, 13),
      Instruction(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0),  // key 0, on the stack
      Move(BPF_REG_2, BPF_REG_10),
      Instruction(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
      Instruction(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
      Instruction(0, 0, 0, 0, 0),  // second half of the one above
      Call(BPF_FUNC_map_lookup_elem),
      JumpIf(BPF_JEQ, BPF_REG_0, 0, 6),
      Load(BPF_DW, BPF_REG_1, kContext, offsetof(bpf_sock_ops, bytes_acked)),
      Add(BPF_REG_0, offsetof(Totals, sent), BPF_REG_1),
      Load(BPF_DW, BPF_REG_1, kContext, offsetof(bpf_sock_ops, bytes_received)),
      Add(BPF_REG_0, offsetof(Totals, received), BPF_REG_1),
      Set(BPF_REG_1, 1),
      Add(BPF_REG_0, offsetof(Totals, connections), BPF_REG_1),
      Set(BPF_REG_0, 1),
      Instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_SOCK_OPS;
  attributes.insns = Pointer(program.data());
  attributes.insn_cnt = program.size();
  attributes.license = Pointer("Apache-2.0");  // calls nothing that asks for another
  return Bpf(BPF_PROG_LOAD, attributes);
}

}  // namespace

base::Result<std::unique_ptr<CgroupTraffic>> CgroupTraffic::Attach(const std::string& folder) {
  const int cgroup = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status {};
  if (cgroup < 0 || fstat(cgroup, &status) != 0) {
    const base::Error error = base::SystemError("cannot open " + folder);
    if (cgroup >= 0) close(cgroup);
    return error;
  }
  const int map = MakeMap();
  const int program = map < 0 ? -1 : LoadProgram(map);
  bpf_attr attributes{};
  attributes.target_fd = static_cast<uint32_t>(cgroup);
  attributes.attach_bpf_fd = static_cast<uint32_t>(program);
  attributes.attach_type = BPF_CGROUP_SOCK_OPS;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  const bool attached = program >= 0 && Bpf(BPF_PROG_ATTACH, attributes) == 0;
  const base::Error error = base::SystemError("cannot count the traffic of " + folder);
  close(cgroup);
  std::unique_ptr<CgroupTraffic> traffic(new CgroupTraffic(map, program, status.st_ino));
  if (!attached) return error;
  return traffic;
}

CgroupTraffic::~CgroupTraffic() {
  if (program_ >= 0) close(program_);
  if (map_ >= 0) close(map_);
}

CgroupTraffic::Totals CgroupTraffic::Ended() const {
  const uint32_t key = 0;
  Totals totals;
  bpf_attr attributes{};
  attributes.map_fd = static_cast<uint32_t>(map_);
  attributes.key = Pointer(&key);
  attributes.value = Pointer(&totals);
  return Bpf(BPF_MAP_LOOKUP_ELEM, attributes) == 0 ? totals : Totals{};
}

}  // namespace reckon::observe
