// What outsiders wrote, made safe: as Markdown for GitHub, as words alone, as a tree for pages, and for terminals.
export {
  formatBullet,
  formatCodeSpan,
  formatFence,
  formatInlineCode,
  formatPlain,
  type SourceLinks,
  sanitiseInline,
  sanitiseMarkdown,
} from './github.ts';
export { parseInline, parseMarkdown } from './parse.ts';
export { toPrintable, toPrintableJson, toPrintableLine } from './terminal.ts';
