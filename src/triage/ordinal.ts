// Ordinal numbers as English writes them.
const RULES = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** Such as `21st`. */
export function ordinal(number: number): string {
  return `${number}${ENDINGS[RULES.select(number)] ?? 'th'}`;
}
