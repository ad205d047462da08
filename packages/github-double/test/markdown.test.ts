// Comments as GitHub renders them: what is a link, a mention or a picture is one, and nothing that anybody writes acts.
import { renderMarkdown } from 'causeway-github-double';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const ground = { repository: 'octo/shop', webUrl: 'https://github.test' };
const render = (source: string) => renderMarkdown(source, ground);
const ATTRIBUTES =
  'href src alt title width height align open srcset media start type checked disabled class aria-label'.split(' ');
const flat = (source: string) => render(source).html.trim();

describe('text', () => {
  it('keeps the ends of lines, as comments do and files do not', () => {
    expect(flat('one\ntwo  \nthree')).toBe('<p>one<br>\ntwo<br>\nthree</p>');
    expect(flat('- one\n  two\n- three')).toBe('<ul>\n<li>one<br>\ntwo</li>\n<li>three</li>\n</ul>');
    expect(flat('```\none\ntwo\n```')).toBe('<pre><code>one\ntwo\n</code></pre>');
  });

  it('knows tables, tasks, strikethrough and bare addresses', () => {
    expect(flat('| a | b |\n|---|--:|\n| 1 | 2 |')).toContain('<td align="right">2</td>');
    expect(flat('- [x] done\n- [ ] open')).toContain(
      '<input type="checkbox" disabled="" checked="" aria-label="Completed task">',
    );
    expect(flat('~~no~~')).toBe('<p><del>no</del></p>');
    expect(render('see https://example.com/a_b.').links).toEqual(['https://example.com/a_b']);
  });
});

describe('references', () => {
  it('mention people and teams, wherever GitHub would notify them', () => {
    expect(render('@nora, (@per) and *@ida* and @octo/core-team.').mentions).toEqual([
      'nora',
      'per',
      'ida',
      'octo/core-team',
    ]);
    expect(render('&#64;nora \\@per').mentions).toEqual(['nora', 'per']);
    expect(render('<b>@nora</b> <p>@per</p>').mentions).toEqual(['nora', 'per']);
    expect(flat('@nora')).toBe('<p><a class="user-mention" href="https://github.test/nora">@nora</a></p>');
  });

  it('do not mention anybody in code, links, addresses and words, nor behind a joint that nobody sees', () => {
    for (const source of [
      '`@nora`',
      '```\n@nora\n```',
      '    @nora',
      '<code>@nora</code>',
      '[@nora](https://example.com)',
      'nora@example.com',
      'https://example.com/@nora',
      'a@nora',
      '@\u200bnora',
      '@<!-- -->nora',
      '@<b></b>nora',
    ]) {
      expect(render(source).mentions, source).toEqual([]);
    }
  });

  it('link issues of this and other repositories', () => {
    expect(render('Fixes #12, octo/else#3 and GH-4; `#5`, a#6, #0').issues).toEqual([
      'octo/shop#12',
      'octo/else#3',
      'octo/shop#4',
    ]);
  });

  it('link commits, shortened', () => {
    const { html, commits } = render('since 6d8f0a1b2c and octo/else@6d8f0a1; 1234567 and deadbeef are none');
    expect(commits).toEqual(['6d8f0a1b2c', '6d8f0a1']);
    expect(html).toContain('<a class="reference" href="https://github.test/octo/shop/commit/6d8f0a1b2c">6d8f0a1</a>');
    expect(html).toContain('href="https://github.test/octo/else/commit/6d8f0a1">octo/else@6d8f0a1<');
  });
});

describe('HTML', () => {
  it('of the list is shown', () => {
    const source = '<details open><summary>Diff <sub>2</sub><sup>3</sup></summary>\n\n**in**\n\n</details>';
    expect(flat(source)).toBe(
      '<details open=""><summary>Diff <sub>2</sub><sup>3</sup></summary>\n<p><strong>in</strong></p>\n</details>',
    );
    expect(flat('a <kbd>Ctrl</kbd><br>b')).toBe('<p>a <kbd>Ctrl</kbd><br>b</p>');
    expect(
      flat(
        '<picture><source media="(prefers-color-scheme: dark)" srcset="https://a.test/d.png"><img alt="x" src="https://a.test/l.png"></picture>',
      ),
    ).toBe(
      '<p><picture><source media="(prefers-color-scheme: dark)" srcset="https://a.test/d.png"><img alt="x" src="https://a.test/l.png"></picture></p>',
    );
  });

  it('comments are not shown, closed or not', () => {
    expect(render('a\n\n<!-- mark:1 -->').text.trim()).toBe('a');
    expect(render('a <!-- b --> c').text).toBe('a  c');
    expect(render('a\n\n<!-- b').text.trim()).toBe('a');
  });

  it('that acts is gone or is text', () => {
    expect(flat('<script>alert(1)</script>')).toBe('&#60;script&#62;alert(1)&#60;/script&#62;');
    expect(flat('<img src="x" onerror="alert(1)">')).toBe('<img src="x">');
    expect(flat('<a href="javascript:alert(1)" onclick=x>k</a>')).toBe('<p><a>k</a></p>');
    expect(flat('<a href="java\tscript:alert(1)">k</a>')).toBe('<p><a>k</a></p>');
    expect(flat('<a href="&#106;avascript:alert(1)">k</a>')).toBe('<p><a>k</a></p>');
    expect(flat('<form action=x><button>b</button></form>')).toBe('b');
    expect(flat('<div style="position:fixed" class="forms" id="live">x</div>')).toBe('<div>x</div>');
    expect(flat('<svg><a href="https://a.test">x</a></svg>')).toBe('<p></p>');
    expect(flat('[x](javascript:alert(1))')).not.toContain('javascript');
  });

  it('that is left open ends with the comment', () => {
    expect(flat('<details><summary>a\n\nb')).toBe('<details><summary>a\n<p>b</p></summary></details>');
    expect(flat('</div></article>a')).toBe('a');
  });

  it('of any kind becomes nothing but tags and attributes of the list, closed in order', () => {
    const pieces = fc.constantFrom(
      '<script>',
      '</script>',
      '<img src=x onerror=a>',
      '<a href="',
      'javascript:',
      '">',
      "'",
      '<details',
      ' open',
      '>',
      '<!--',
      '-->',
      '\n\n',
      '`',
      '@nora',
      '&lt;',
      '<svg/onload=a>',
      '<style>',
      '</p>',
      '<table><tr><td>',
      '](',
      '[',
      '<iframe srcdoc="',
      '<input ',
      '&#x3c;b&#62;',
      '<b a=<i>',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 12 }), (parts) => {
        const { html } = render(parts.join(''));
        const open: string[] = [];
        for (const [tag, slash, name = '', attributes = ''] of html.matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)) {
          expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*( [a-z-]+="[^"<>]*")*>$/);
          expect(['script', 'style', 'iframe', 'svg', 'form', 'object']).not.toContain(name);
          for (const [, attribute, value] of attributes.matchAll(/([a-z-]+)="([^"]*)"/g)) {
            expect(ATTRIBUTES).toContain(attribute);
            expect(value).not.toMatch(/^\s*javascript:/i);
          }
          if (slash === '/') expect(open.pop()).toBe(name);
          else if (!['img', 'br', 'hr', 'input', 'source', 'wbr'].includes(name)) open.push(name);
        }
        expect(open).toEqual([]);
        expect(html.replace(/<[^>]*>/g, '')).not.toMatch(/[<>]/);
      }),
      { numRuns: 150 },
    );
  });
});
