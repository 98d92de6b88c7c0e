const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "it already exists",
  ENOENT: "file not found",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "disk quota exceeded",
  EFBIG: "the file is larger than the limit",
  EIO: "disk error",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
};

/** The reason of a file system error in words; the error's own message for an unknown code. */
export function fsReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}
