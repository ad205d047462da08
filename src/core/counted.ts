// A number with its noun.

/** `1 file`, `3 files`. */
export function formatCounted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
