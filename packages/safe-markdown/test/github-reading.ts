// What GitHub would make of a Markdown text: rendered with micromark and its GFM rules, then searched as GitHub searches text for references.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

export interface Reading {
  readonly html: string;
  /** Names of all elements, in order. */
  readonly elements: readonly string[];
  readonly links: readonly string[];
  /** What stands outside of code and links, one string for each run of text. */
  readonly texts: readonly string[];
  /** Contents of code, inline and blocks. */
  readonly codes: readonly string[];
  readonly isBalanced: boolean;
}

const VOID = new Set(['br', 'hr', 'img', 'input']);

export function readAsGithub(markdown: string): Reading {
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
  const elements: string[] = [];
  const links: string[] = [];
  const texts: string[] = [];
  const codes: string[] = [];
  const open: string[] = [];
  let isBalanced = true;
  for (const [, comment, close, name = '', attributes = '', text] of html.matchAll(
    /(<!--[\s\S]*?-->)|<(\/?)([a-z][a-z0-9-]*)([^>]*)>|([^<]+|<)/gi,
  )) {
    if (comment !== undefined) elements.push('#comment');
    else if (text === '<') elements.push('#raw');
    else if (text !== undefined) {
      const isCode = open.includes('code') || open.includes('pre');
      if (isCode) codes.push(decoded(text));
      else if (!open.includes('a')) texts.push(decoded(text));
    } else if (close === '/') isBalanced = open.pop() === name && isBalanced;
    else {
      elements.push(name);
      if (name === 'a') links.push(decoded(/href="([^"]*)"/.exec(attributes)?.[1] ?? ''));
      if (!VOID.has(name)) open.push(name);
    }
  }
  return { html, elements, links, texts, codes, isBalanced: isBalanced && open.length === 0 };
}

const READ_INTO: readonly (readonly [string, RegExp])[] = [
  ['mention or address', /@/],
  ['reference', /#\d/],
  ['reference', /\bGH-\d/i],
  ['address', /:\/\//],
  ['address', /\bwww\./i],
  ['address', /\b(?:mailto|xmpp):/i],
  ['commit', /\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}\b/],
  ['advisory', /\b(?:GHSA|CVE)-\w/],
  ['emoji', /:[a-z0-9_+-]+:/i],
  ['formula', /\$/],
  ['hidden character', /[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u],
];

/** What GitHub would do because of the text, in words; nothing where it is inert. `elements` and links below `base` are allowed. */
export function effectsOf(
  markdown: string,
  allowed: { readonly elements: readonly string[]; readonly base: string },
): string[] {
  const { elements, links, texts, isBalanced } = readAsGithub(markdown);
  return [
    ...elements.filter((name) => !allowed.elements.includes(name)).map((name) => `element ${name}`),
    ...links.filter((link) => allowed.base === '' || !link.startsWith(allowed.base)).map((link) => `link ${link}`),
    ...texts.flatMap((text) =>
      READ_INTO.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${what} in “${text.trim()}”`),
    ),
    ...(isBalanced ? [] : ['elements are not balanced']),
  ];
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
