// Which paths of a repository are safe on every file system, and which differ only in disguise.

/** Linux's PATH_MAX; no checkout can hold a longer one. */
const MAX_BYTES = 4096;

/** Windows reads `C:x` as a drive, and `.git::$INDEX_ALLOCATION`, `.git .` and the short name `GIT~1` as `.git`. */
const DRIVE = /^[a-z]:/i;

const GIT_FOLDER = /^(?:\.git|git~\d+)[. ]*(?::|$)/iu;

/** Characters that macOS ignores when it compares names: `.g\u200cit` is `.git` there. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * True for a relative path of plain segments, at most 4,096 bytes: no `..`, absolute path, backslash, drive, NUL or
 * empty segment, and no `.git` in any case or disguise. Does not look at the file system.
 */
export function isSafePath(path: string): boolean {
  if (!path.isWellFormed() || Buffer.byteLength(path) > MAX_BYTES) return false;
  if (/[\0\\]/.test(path) || DRIVE.test(path)) return false;
  return path.split('/').every(isSafeSegment);
}

function isSafeSegment(segment: string): boolean {
  const plain = segment.normalize('NFKC').replace(IGNORED, '');
  // Windows drops trailing dots and spaces, so `.. ` leads upwards and `...` is empty.
  return /[^. ]/.test(plain) && !GIT_FOLDER.test(plain);
}

/**
 * Case, full-width letters and characters that file systems ignore must not disguise a name: `.GitHub`,
 * `CODEOWNERS\u200b`, `．github`.
 */
export function toComparablePath(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
    .replace(/\\/g, '/')
    .replace(/(?<![. ])[. ]+(?=\/|$)/g, '')
    .normalize('NFC')
    .toLowerCase();
}
