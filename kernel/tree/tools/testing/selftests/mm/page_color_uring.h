/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page coloring: a queue of io_uring, one request at a time, without liburing.
 */
#ifndef PAGE_COLOR_URING_H
#define PAGE_COLOR_URING_H

#include <linux/io_uring.h>
#include "page_color_kinds.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup	425
#define SYS_io_uring_enter	426
#define SYS_io_uring_register	427
#endif

struct uring {
	int fd;
	struct io_uring_params params;
	/* What the kernel allocates and maps. */
	char *ring, *sqes;
	size_t ring_size, sqes_size;
};

static inline struct uring new_uring(unsigned int entries, unsigned int flags)
{
	struct uring u = { .params.flags = flags };
	struct io_uring_params *p = &u.params;
	size_t sq;

	p->sq_thread_idle = 1000;
	u.fd = syscall(SYS_io_uring_setup, entries, p);
	if (u.fd < 0 || !(p->features & IORING_FEAT_SINGLE_MMAP))
		ksft_exit_fail_msg("io_uring_setup: %s\n", strerror(errno));
	sq = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
	u.ring_size = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	u.ring_size = sq > u.ring_size ? sq : u.ring_size;
	u.ring_size = (u.ring_size + page_size - 1) & -page_size;
	u.sqes_size = p->sq_entries * sizeof(struct io_uring_sqe);
	u.sqes_size = (u.sqes_size + page_size - 1) & -page_size;
	u.ring = mmap(NULL, u.ring_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, u.fd, IORING_OFF_SQ_RING);
	u.sqes = mmap(NULL, u.sqes_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, u.fd, IORING_OFF_SQES);
	if (u.ring == MAP_FAILED || u.sqes == MAP_FAILED)
		ksft_exit_fail_msg("io_uring: %s\n", strerror(errno));
	return u;
}

static inline uint32_t *uring_word(struct uring *u, uint32_t offset)
{
	return (uint32_t *)(u->ring + offset);
}

/* The result of a request, when it is there. */
static inline int uring_do(struct uring *u, const struct io_uring_sqe *sqe)
{
	const struct io_sqring_offsets *sq = &u->params.sq_off;
	const struct io_cqring_offsets *cq = &u->params.cq_off;
	uint32_t *tail = uring_word(u, sq->tail), *head = uring_word(u, cq->head);
	uint32_t at = *tail & *uring_word(u, sq->ring_mask);
	unsigned int flags = IORING_ENTER_GETEVENTS;
	struct io_uring_cqe *cqe;

	((struct io_uring_sqe *)u->sqes)[at] = *sqe;
	uring_word(u, sq->array)[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(uring_word(u, sq->flags), __ATOMIC_SEQ_CST) &
	    IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	while (syscall(SYS_io_uring_enter, u->fd, 1, 1, flags, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (__atomic_load_n(uring_word(u, cq->tail), __ATOMIC_ACQUIRE) == *head)
		return -ENOMSG;
	at = *head & *uring_word(u, cq->ring_mask);
	cqe = (struct io_uring_cqe *)(u->ring + cq->cqes) + at;
	at = cqe->res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return at;
}

/* Read what write_words() wrote to a file, 64 KiB at a time. */
static inline bool uring_read(struct uring *u, int file, char *mem, size_t size,
			      int opcode, int flags)
{
	const uint32_t part = 65536;

	for (size_t at = 0; at < size; at += part) {
		struct io_uring_sqe sqe = {
			.opcode = opcode,
			.flags = flags,
			.fd = file,
			.off = at,
			.addr = (uintptr_t)mem + at,
			.len = part,
		};
		int n = uring_do(u, &sqe);

		if (n != (int)part) {
			ksft_print_msg("io_uring: %d of %u bytes at %zu\n", n, part, at);
			return false;
		}
	}
	return true;
}

#endif /* PAGE_COLOR_URING_H */
