// What CI and GitHub obey in the message of a commit, code or not: a squash merge takes over the text of the pull request as it was typed.

/** `[skip ci]`, `[no ci]`, `[actions skip]` and their like, of any service. */
const SKIPS = /\[(?=(?:skip|no)[ _-][\w -]{1,30}\]|\w[\w-]{0,20}[ _-]skip *\])/gi;
const CLOSES = String.raw`(?<![\p{L}\p{N}])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[^\p{L}\p{N}_]{0,100}`;
const CLOSES_NUMBER = new RegExp(String.raw`(${CLOSES}(?:[\w.-]{1,100}/[\w.-]{1,100})?(?<!&)#)(?=\d)`, 'giu');
const CLOSES_GH = new RegExp(String.raw`(${CLOSES}GH)-(?=\d)`, 'giu');
const CLOSES_ADDRESS = new RegExp(
  String.raw`(${CLOSES}https?://)(?=[^\s/]+/[^\s/]+/[^\s/]+/(?:issues|pull)/\d)`,
  'giu',
);
/** `Co-authored-by:`, `Signed-off-by:`, `on-behalf-of:` and `BREAKING CHANGE:` as the first words of a line. */
const TRAILER = /(?<=^[^\p{L}\p{N}\n]{0,100}[a-z-]{1,40}ed(?:-off)?)-(?=by\s*:)/gimu;
const BEHALF = /(?<=^[^\p{L}\p{N}\n]{0,100})on-behalf-of(?=\s*:)/gimu;
const BREAKING = /(?<=^[^\p{L}\p{N}\n]{0,100})BREAKING[ -]CHANGE(?=\s*:)/gimu;

/** Finished Markdown in which such words still stand, with a space in them, and do nothing. What was broken once stays as it is. */
export function withoutOrders(markdown: string): string {
  return markdown
    .replace(SKIPS, '[ ')
    .replace(/skip-checks(?=\s*:)/gi, 'skip checks')
    .replace(/NO_CI(?=\*)/gi, 'NO CI')
    .replace(CLOSES_NUMBER, '$1 ')
    .replace(CLOSES_GH, '$1 ')
    .replace(CLOSES_ADDRESS, '$1 ')
    .replace(TRAILER, ' ')
    .replace(BEHALF, 'on behalf of')
    .replace(BREAKING, 'breaking change');
}
