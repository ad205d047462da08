// Words of a server about itself: data that could carry orders, so seen whole, on one line, and short.

/** What nobody sees, and what a terminal obeys; white space apart. */
const UNSEEN = /(?!\s)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}]/gu;
/** What is looked at for each character that is kept. */
const LOOK_AHEAD = 4;

/** The text on one line without invisible characters, at most `max` UTF-16 units (then ending in `…`). */
export function plainLine(text: string, max: number): string {
  const seen = text
    .slice(0, max * LOOK_AHEAD)
    .toWellFormed()
    .replace(UNSEEN, '')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();
  return seen.length > max
    ? `${seen
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trimEnd()}…`
    : seen;
}
