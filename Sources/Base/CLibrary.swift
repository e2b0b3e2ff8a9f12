// The C library of the system, which every file has that imports Base.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif
