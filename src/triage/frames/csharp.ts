// Frames of .NET: `at Namespace.Class.Method(String text) in /path/File.cs:line 12`.
import { cutAfterAt, type ErrorHead, type Frame, type FrameReader, NO_ERROR, parseErrorHead } from './frame.ts';

const HEAD_LINES = 8;

export const csharpFrames: FrameReader = {
  language: 'csharp',
  innermostLast: false,
  gap: 1,
  frame: (lines, index) => readCsharpFrame(lines[index] ?? ''),
  ends: (line) => !line.includes('--->') && parseErrorHead(line) !== null,
  error: findHeadAbove,
};

function readCsharpFrame(line: string): Frame | null {
  const rest = cutAfterAt(line);
  const open = rest?.indexOf('(') ?? -1;
  if (!rest || open <= 0 || rest[open - 1] === ' ') return null;
  const name = rest.slice(0, open);
  const placed = /\) in (.{1,600}):line (\d{1,7})$/.exec(rest);
  if (!/^[\w.<>`+[\],|$]{3,400}$/.test(name) || !name.includes('.') || (!placed && !rest.endsWith(')'))) return null;
  return {
    language: 'csharp',
    file: placed?.[1] ?? '',
    line: Number(placed?.[2] ?? 0),
    ...splitNames(name),
    code: '',
  };
}

/** `App.Store.<LoadAsync>d__4.MoveNext` is `LoadAsync` of `App.Store`. */
function splitNames(name: string): { readonly function: string; readonly symbol: string } {
  const machine = /^(.{1,300}?)[.+]<(?:<)?([\w$<>]{1,100}?)>(?:[a-z]__|g__)/.exec(name);
  if (machine?.[1] && machine[2]) return { function: machine[2].replace(/[<>]/g, ''), symbol: machine[1] };
  const dot = name.lastIndexOf('.');
  const method = name.slice(dot + 1).replace(/[`[<].*$/, '');
  return {
    function: method === 'ctor' || method === 'cctor' ? '' : method,
    symbol: name.slice(0, dot).replace(/\.$/, ''),
  };
}

function findHeadAbove(lines: readonly string[], first: number): ErrorHead {
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES); index--) {
    const line = (lines[index] ?? '').trim();
    if (readCsharpFrame(line)) break;
    const inner = line.lastIndexOf('---> ');
    const head = parseErrorHead((inner < 0 ? line : line.slice(inner + 5)).replace(/^Unhandled exception\. /, ''));
    if (head) return { ...head, link: 'none' };
  }
  return NO_ERROR;
}
