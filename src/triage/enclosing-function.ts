// The function that a line stands in, as far as an outline without ends can tell.
import type { Symbol as OutlineSymbol } from '../ports/source.ts';

/** The last function that begins at or before the line, else the last class; "" where the outline has neither. */
export function enclosingFunction(outline: readonly OutlineSymbol[], line: number): string {
  if (line <= 0) return '';
  const before = outline.filter((symbol) => symbol.line <= line).sort((a, b) => b.line - a.line);
  const named = before.find(({ kind }) => kind === 'function') ?? before.find(({ kind }) => kind === 'class');
  return named?.name ?? '';
}

/** Line where the function is defined; 0 where the outline does not have it, or has it more than once. */
export function definitionLine(outline: readonly OutlineSymbol[], name: string): number {
  const same = outline.filter((symbol) => symbol.name === name);
  return same.length === 1 ? (same[0]?.line ?? 0) : 0;
}
