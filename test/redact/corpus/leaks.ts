// What of a secret can still be read after redaction by a reader who undoes every wrapping.
import type { Filled } from './templates.ts';

/** So many characters in a row are a leak; of a shorter secret all of them. */
const WINDOW = 8;

/** Whether a reader of `shown` can still read a part of what was drawn for the secret. */
export function leaks(shown: string, secret: Filled): boolean {
  const readings = readingsOf(shown);
  return secret.drawn.some((drawn) => windows(drawn).some((part) => readings.some((text) => text.includes(part))));
}

function windows(drawn: string): string[] {
  const parts = drawn.split(/\s+/).filter((line) => line.length >= 4);
  return parts.flatMap((part) => {
    const size = Math.min(WINDOW, part.length);
    return Array.from({ length: part.length - size + 1 }, (_, at) => part.slice(at, at + size));
  });
}

function readingsOf(shown: string): string[] {
  const clean = shown.replace(/\x1b\[[\d;]*m/g, '').replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '');
  const decoded = clean.replace(/(?:%[0-9A-F]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
  const unescaped = clean
    .replaceAll('\\\\', '\\')
    .replaceAll('\\\\', '\\')
    .replace(/\\+n/g, '\n')
    .replaceAll('\\"', '"');
  const contents = [...clean.matchAll(/[A-Za-z0-9+/]{12,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((shift) => Buffer.from(run.slice(shift), 'base64').toString('latin1')),
  );
  return [clean, clean.replace(/\s*\n\s*/g, ''), decoded, unescaped, ...contents];
}
