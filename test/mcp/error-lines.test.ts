// Standard error of a program: whole lines, however the pipe cuts them, and not without end.
import { describe, expect, it } from 'vitest';
import { readErrorLines } from '../../src/mcp/wires.ts';

function read(chunks: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const take = readErrorLines({ onLine: (line) => void lines.push(line), onTooMany: () => void lines.push('<more>') });
  for (const chunk of chunks) take(Buffer.from(chunk));
  return lines;
}

describe('standard error of a monitoring server', () => {
  it('is told in whole lines however it arrives', () => {
    expect(read(['one\n\ntw', 'o', '\nthr', 'ee\nunfinished'])).toEqual(['one', 'two', 'three']);
  });

  it('is not held without end, and not told without end', () => {
    const [long] = read(['x'.repeat(100_000), 'y'.repeat(100_000), '\n']);
    expect(long).toBe('x'.repeat(8_192));
    expect(read(['line\n'.repeat(1_000), 'line\n'.repeat(1_000)])).toEqual([...Array(200).fill('line'), '<more>']);
  });
});
