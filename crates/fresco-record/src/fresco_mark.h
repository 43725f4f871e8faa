/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* FRESCO_BEGIN(name) and FRESCO_END(name) mark a region for `fresco record`; elsewhere each is an instruction without effect per letter. */
#if defined(__x86_64__)
#define FRESCO_MARK(kind, name) __asm__ volatile(".byte 0x0f,0x1f,0x80\n.ascii \"FR" kind ":\"\n.irpc letter," #name \
    "\n.byte 0x0f,0x1f,0x40\n.ascii \"\\letter\"\n.endr\n.byte 0x0f,0x1f,0x40,0" ::: "memory")
#elif defined(__aarch64__)
#define FRESCO_MARK(kind, name) __asm__ volatile(".byte 0x1f\n.ascii \"" kind "\"\n.byte 0x92,0xd2\n.irpc letter," #name \
    "\n.byte 0x1f\n.ascii \"\\letter\"\n.byte 0x93,0xd2\n.endr\n.byte 0x1f,0,0x93,0xd2" ::: "memory")
#endif
#define FRESCO_BEGIN(name) FRESCO_MARK("B", name)
#define FRESCO_END(name) FRESCO_MARK("E", name)
