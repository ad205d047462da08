// The wrappings in which a log shows a secret: as it is, and six that hide it from a rule that reads plain text.
import type { Random } from './templates.ts';

/** A line with a secret somewhere in it; both may be of several lines. */
export interface Placed {
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

interface Wrapping {
  readonly name: string;
  readonly wrap: (placed: Placed, random: Random) => string;
}

const AROUND = [
  '> npm run deploy',
  'Uploading 12 files (1.4 MB)',
  'error: request failed with status 401',
  'at run (a.js:3:9)',
];

export const WRAPPINGS: readonly Wrapping[] = [
  { name: 'plain', wrap: (placed) => inLog(whole(placed)) },
  { name: 'ANSI between all characters', wrap: (placed) => inLog(coloured(whole(placed))) },
  { name: 'stamped lines', wrap: (placed) => stamped(inLog(whole(placed))) },
  { name: 'percent', wrap: (placed) => inLog(`GET /collect?line=${encodeURIComponent(whole(placed))}&n=1`) },
  {
    name: 'JSON twice',
    wrap: (placed) => inLog(`{"payload":${JSON.stringify(JSON.stringify({ line: whole(placed) }))}}`),
  },
  { name: 'base64', wrap: (placed) => inLog(`data: ${Buffer.from(whole(placed)).toString('base64')} end`) },
  { name: 'split over two stamped lines', wrap: (placed, random) => stamped(inLog(split(placed, random))) },
];

function whole({ before, secret, after }: Placed): string {
  return before + secret + after;
}

function inLog(text: string): string {
  return [...AROUND.slice(0, 2), text, ...AROUND.slice(2)].join('\n');
}

function coloured(text: string): string {
  return text.replace(/(?<=[^\n])(?=[^\n])/g, '\x1b[1;31m');
}

function stamped(text: string): string {
  return text
    .split('\n')
    .map((line, i) => `2026-11-20T19:18:4${i % 10}.123456${i % 10}Z ${line}`)
    .join('\n');
}

/** Broken somewhere between its first and its third quarter. */
function split({ before, secret, after }: Placed, random: Random): string {
  const at = Math.floor(secret.length * (0.25 + random() / 2));
  return `${before}${secret.slice(0, at)}\n${secret.slice(at)}${after}`;
}
