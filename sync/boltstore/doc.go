// Package boltstore keeps records in one bbolt file and is the only package
// that knows bbolt.
//
// A gateway loses power more often than it is shut down, and its flash ages. So
// the file is distrusted twice. Before bbolt may map it, [Open] reads the whole
// structure with bounds-checked reads: a mapped damaged page can end the process
// by a fault or an endless walk, at every boot again, and no recover helps
// against the worst of these. And every value carries a checksum over its bucket,
// key and bytes, since bbolt's pages carry none. A file that fails is renamed
// aside, one such copy is kept, and a fresh store takes its place; [Opened] says
// so, because the caller must then ask its peers for what was lost.
//
// A file that another process holds, or that we may not read, is not damage.
//
// One transaction a [Store.Commit]: the batch is on the disk as a whole when the
// call returns nil, and not there at all when it returns an error.
package boltstore
