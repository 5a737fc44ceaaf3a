package boltstore

import (
	"encoding/binary"
	"hash/fnv"
	"io"
)

// The public layout of a bbolt file, as far as its structure needs proof. Numbers
// are in the machine's own byte order, as bbolt writes them.
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSize    = 64
	headerSize  = 16 // of a page: id 8, flags 2, count 2, overflow 4
	elementSize = 16

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10

	bucketHeader  = 16
	bucketElement = 0x01
	maxPageSize   = 64 << 10
	maxDepth      = 32 // a tree of 16 MiB is 3 or 4 deep
)

var order = binary.NativeEndian

type meta struct {
	pageSize, root, freelist, pages, txid uint64
}

// structure walks a file by bounds-checked reads only: nothing in the file can
// make it fault, loop or take memory without bound.
type structure struct {
	r    io.ReaderAt
	size int64
	meta meta
	seen map[uint64]bool
}

// verify proves that every page reachable from the newest whole meta page is
// there, is what its parent says, is reached once, and holds its elements without
// gap or overlap. note tells of one bad meta page, which costs the last commit.
func verify(r io.ReaderAt, size int64) (note string, err error) {
	if size == 0 {
		return "", damaged("the file is empty")
	}
	s := &structure{r: r, size: size, seen: map[uint64]bool{}}
	if note, err = s.readMetas(); err != nil {
		return "", err
	}
	if s.meta.pages > uint64(size)/s.meta.pageSize {
		return "", damaged("cut off: %d bytes hold fewer than %d pages", size, s.meta.pages)
	}
	if err := s.freelist(); err != nil {
		return "", err
	}
	return note, s.tree(s.meta.root, 0)
}

func (s *structure) readMetas() (note string, err error) {
	first, ok0 := s.readMeta(0)
	pageSize := first.pageSize
	var second meta
	var ok1 bool
	if ok0 {
		second, ok1 = s.readMeta(int64(pageSize))
	}
	for at := int64(1 << 10); !ok0 && !ok1 && at <= maxPageSize; at <<= 1 {
		second, ok1 = s.readMeta(at)
		ok1 = ok1 && int64(second.pageSize) == at
	}
	switch {
	case !ok0 && !ok1:
		return "", damaged("not a database, or both meta pages are gone")
	case ok0 && ok1 && second.txid > first.txid, !ok0:
		s.meta = second
	default:
		s.meta = first
	}
	if !ok0 || !ok1 {
		note = "one of the two meta pages is damaged; if it was the newer one, the last commit is lost"
	}
	return note, nil
}

func (s *structure) readMeta(at int64) (meta, bool) {
	var b [headerSize + metaSize]byte
	if _, err := s.r.ReadAt(b[:], at); err != nil {
		return meta{}, false
	}
	m := b[headerSize:]
	sum := fnv.New64a()
	_, _ = sum.Write(m[:metaSize-8]) // a hash never fails
	size := uint64(order.Uint32(m[8:]))
	ok := order.Uint32(m) == metaMagic && order.Uint32(m[4:]) == metaVersion &&
		order.Uint64(m[56:]) == sum.Sum64() &&
		size >= 1<<10 && size <= maxPageSize && size&(size-1) == 0
	return meta{
		pageSize: size,
		root:     order.Uint64(m[16:]),
		freelist: order.Uint64(m[32:]),
		pages:    order.Uint64(m[40:]),
		txid:     order.Uint64(m[48:]),
	}, ok
}

// page reads one page with its overflow, once in a walk, and its header.
func (s *structure) page(id uint64) (p []byte, flags uint16, count int, err error) {
	var h [headerSize]byte
	if id < 2 || id >= s.meta.pages {
		return nil, 0, 0, damaged("page %d is out of bounds", id)
	}
	at := int64(id * s.meta.pageSize)
	if _, err := s.r.ReadAt(h[:], at); err != nil {
		return nil, 0, 0, damaged("page %d: %v", id, err)
	}
	span := uint64(order.Uint32(h[12:])) + 1
	if order.Uint64(h[:]) != id || span > s.meta.pages-id {
		return nil, 0, 0, damaged("page %d has a wrong header", id)
	}
	for i := id; i < id+span; i++ {
		if s.seen[i] {
			return nil, 0, 0, damaged("page %d is used twice", i)
		}
		s.seen[i] = true
	}
	p = make([]byte, span*s.meta.pageSize)
	if _, err := s.r.ReadAt(p, at); err != nil {
		return nil, 0, 0, damaged("page %d: %v", id, err)
	}
	return p, order.Uint16(h[8:]), int(order.Uint16(h[10:])), nil
}

// freelist looks at the list of free pages, which bbolt trusts for how much
// memory to take and where to write next.
func (s *structure) freelist() error {
	p, flags, count, err := s.page(s.meta.freelist)
	if err != nil {
		return err
	}
	ids := p[headerSize:]
	if count == 0xFFFF {
		n := order.Uint64(ids)
		if n > s.meta.pages {
			return damaged("free list says %d pages of %d", n, s.meta.pages)
		}
		count, ids = int(n), ids[8:]
	}
	if flags != flagFreelist || count*8 > len(ids) {
		return damaged("page %d is not a free list", s.meta.freelist)
	}
	for ; count > 0; count-- {
		if id := order.Uint64(ids); id < 2 || id >= s.meta.pages {
			return damaged("free page %d is out of bounds", id)
		}
		ids = ids[8:]
	}
	return nil
}

func (s *structure) tree(id uint64, depth int) error {
	if depth > maxDepth {
		return damaged("page %d is too deep", id)
	}
	p, flags, count, err := s.page(id)
	if err != nil {
		return err
	}
	switch flags {
	case flagBranch:
		return s.branch(p, count, depth)
	case flagLeaf:
		return s.leaf(p, count, depth)
	}
	return damaged("page %d is of no kind", id)
}

// branch: an element is pos 4, key size 4, page 8; pos counts from the element.
func (s *structure) branch(p []byte, count, depth int) error {
	next := headerSize + elementSize*count
	if count == 0 || next > len(p) {
		return damaged("a branch page is empty or overflows")
	}
	for i := range count {
		at := headerSize + elementSize*i
		e := p[at:]
		size := uint64(order.Uint32(e[4:]))
		if int(order.Uint32(e)) != next-at || size == 0 || size > uint64(len(p)-next) {
			return damaged("a branch element is out of place")
		}
		next += int(size)
		if err := s.tree(order.Uint64(e[8:]), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// leaf: an element is flags 4, pos 4, key size 4, value size 4.
func (s *structure) leaf(p []byte, count, depth int) error {
	next := headerSize + elementSize*count
	if next > len(p) {
		return damaged("a leaf page overflows")
	}
	for i := range count {
		at := headerSize + elementSize*i
		e := p[at:]
		key, value := uint64(order.Uint32(e[8:])), uint64(order.Uint32(e[12:]))
		if int(order.Uint32(e[4:])) != next-at || key == 0 || key+value > uint64(len(p)-next) {
			return damaged("a leaf element is out of place")
		}
		start := next + int(key)
		next = start + int(value)
		if order.Uint32(e) == 0 {
			continue
		}
		if err := s.bucket(order.Uint32(e), p[start:next], depth); err != nil {
			return err
		}
	}
	return nil
}

// bucket: root page 8, sequence 8, and with root 0 a small leaf page inline.
func (s *structure) bucket(flags uint32, value []byte, depth int) error {
	if flags != bucketElement || len(value) < bucketHeader || depth > maxDepth {
		return damaged("a leaf element is of no kind")
	}
	if root := order.Uint64(value); root != 0 {
		return s.tree(root, depth+1)
	}
	inline := value[bucketHeader:]
	if len(inline) < headerSize || order.Uint16(inline[8:]) != flagLeaf {
		return damaged("an inline bucket is no leaf")
	}
	return s.leaf(inline, int(order.Uint16(inline[10:])), depth+1)
}
