// Addresses of places in the repository's source, for texts that name them; nothing else is ever linked.
import type { Issue } from './issue.ts';

/** The address of a place such as `src/a.ts:12` in the repository; null for everything else. */
export type SourceLinks = (text: string) => string | null;

export const NO_LINKS: SourceLinks = () => null;

const PLACE = /^(.{1,400}?):(\d{1,9})(?:[-–:](\d{1,9}))?$/;

/** Links `path:line` and `path:from-to` where the path is one that the investigation has looked at, at the commit that it looked at. */
export function buildSourceLinks(
  place: { readonly webUrl: string; readonly repository: string },
  issue: Pick<Issue, 'diff' | 'investigationSteps' | 'analysis'>,
): SourceLinks {
  const paths = knownPaths(issue);
  const { revision } = issue.analysis;
  return (text) => {
    const [, path = '', from = '', to] = PLACE.exec(text) ?? [];
    if (from === '' || !paths.has(path) || !/^[0-9a-f]{40,64}$/.test(revision)) return null;
    const end = to === undefined || !text.includes('-') ? '' : `-L${to}`;
    return `${place.webUrl}/${place.repository}/blob/${revision}/${path.split('/').map(encoded).join('/')}#L${from}${end}`;
  };
}

/** Suspects and changed files, and what the lookups name. */
function knownPaths({
  diff,
  investigationSteps,
  analysis,
}: Parameters<typeof buildSourceLinks>[1]): ReadonlySet<string> {
  const looked = investigationSteps.flatMap(({ action }) =>
    action
      .split(/[\s;,]+/)
      .map((word) => word.replace(/:\d.*$/s, ''))
      .filter((word) => /[./]/.test(word)),
  );
  const old = diff.files.flatMap(({ previousFileName, fileName, status }) =>
    status === 'added' ? [] : [previousFileName ?? fileName],
  );
  return new Set([...analysis.suspects.map(({ file }) => file), ...old, ...looked].filter(isPlain));
}

function isPlain(path: string): boolean {
  return (
    path !== '' &&
    !path.startsWith('/') &&
    !path.split('/').some((part) => part === '' || part === '.' || part === '..')
  );
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*~_]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
