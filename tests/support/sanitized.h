// Whether this program was built with a sanitizer: its copies then hold much memory of their own.
#pragma once

namespace reckon::support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace reckon::support
