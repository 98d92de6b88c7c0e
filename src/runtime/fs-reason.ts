const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "it exists already",
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk failed",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open",
};

/** What the file system says against an operation, in words; where it is unknown, its own. */
export function fsReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}
