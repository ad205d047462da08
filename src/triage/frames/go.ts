// Frames of Go panics and goroutine dumps: a line with the function, then a line with the place.
import { type ErrorHead, type Frame, type FrameReader, NO_ERROR } from './frame.ts';

const HEAD_LINES = 12;

export const goFrames: FrameReader = {
  language: 'go',
  innermostLast: false,
  gap: 2,
  frame: readGoFrame,
  ends: (line) => /^\s*(?:goroutine \d+ \[|panic: |fatal error: |--- FAIL)/.test(line),
  error: findHeadAbove,
};

function readGoFrame(lines: readonly string[], index: number): Frame | null {
  const match = /^\s+(\S.{0,600}\.go):(\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec((lines[index] ?? '').trimEnd());
  const above = readCalledFunction((lines[index - 1] ?? '').trim());
  if (!match?.[1] || above === '') return null;
  const name = above.replace(/\.func\d+(?:\.\d+)*$/, '');
  return {
    language: 'go',
    file: match[1],
    line: Number(match[2]),
    function: name.slice(name.lastIndexOf('.') + 1).replace(/\[\.\.\.\]$/, ''),
    symbol: above,
    code: '',
  };
}

/** `example.com/app/store.(*Client).Get(0xc000…)` without its arguments; "" where the line is no call. */
function readCalledFunction(line: string): string {
  const call = line.replace(/^created by /, '').replace(/ in goroutine \d+$/, '');
  const open = call.endsWith(')') ? call.lastIndexOf('(') : call.length;
  const name = call.slice(0, open);
  return /^[\w./*()[\]%·~-]{1,300}$/.test(name) && name.includes('.') ? name : '';
}

function findHeadAbove(lines: readonly string[], first: number): ErrorHead {
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES); index--) {
    const match = /^\s*(panic|fatal error): (.*)$/.exec(lines[index] ?? '');
    if (match?.[1]) return { type: match[1], message: (match[2] ?? '').replace(/ \[recovered\]$/, ''), link: 'none' };
  }
  return NO_ERROR;
}
