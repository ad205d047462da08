// The folders that a path of a repository is in.

/** The folder of a file: `a/b` for `a/b/c`; "" at the root. */
export function getFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** All folders of a file, the outermost first: `a` and `a/b` for `a/b/c`; none at the root. */
export function listFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
