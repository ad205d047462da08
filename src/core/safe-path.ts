// Whether a path can only name an ordinary file inside a repository, on every system that may check it out.

/** PATH_MAX of Linux; no checkout can hold more. */
const MAX_BYTES = 4096;
/** Windows reads `C:x` as a drive, and `.git::$INDEX_ALLOCATION` or `.git .` or the short name `GIT~1` as `.git`. */
const DRIVE = /^[a-z]:/i;
const GIT_FOLDER = /^(?:\.git|git~\d+)[. ]*(?::|$)/iu;
/** Characters that macOS drops when it compares names: `.g\u200cit` is `.git` there. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * True for a relative path of plain segments, at most 4,096 bytes: no `..`, nothing absolute, no backslash, no drive,
 * no NUL, no empty segment, and no `.git` in any case or disguise. It says nothing about what stands at the path.
 */
export function isSafePath(path: string): boolean {
  if (!path.isWellFormed() || Buffer.byteLength(path) > MAX_BYTES) return false;
  if (/[\0\\]/.test(path) || DRIVE.test(path)) return false;
  return path.split('/').every(isSafeSegment);
}

function isSafeSegment(segment: string): boolean {
  const plain = segment.normalize('NFKC').replace(IGNORED, '');
  // Windows drops dots and spaces at the end, so that `.. ` climbs and `...` is nothing.
  return /[^. ]/.test(plain) && !GIT_FOLDER.test(plain);
}
