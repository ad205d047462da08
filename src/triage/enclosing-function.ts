// The function that a line stands in, as far as an outline without ends can tell.
import type { Symbol as OutlineSymbol } from '../core/source.ts';

/** The last function or class that begins at or before the line; "" where the outline has neither. */
export function enclosingFunction(outline: readonly OutlineSymbol[], line: number): string {
  if (line <= 0) return '';
  const before = outline.filter((symbol) => symbol.line <= line).sort((a, b) => b.line - a.line);
  return before.find(({ kind }) => kind === 'function' || kind === 'class')?.name ?? '';
}

/** Line where the function is defined; 0 where the outline does not have it, or has it more than once. */
export function definitionLine(outline: readonly OutlineSymbol[], name: string): number {
  const same = outline.filter((symbol) => symbol.name === name);
  return same.length === 1 ? (same[0]?.line ?? 0) : 0;
}
