// What models write, on a page: paragraphs, lists and code; links to our own steps and the repository's source alone.
import { describe, expect, it } from 'vitest';
import { NO_TEXT_LINKS, renderText, type TextLinks } from '../../src/web/text.ts';

const LINKS: TextLinks = {
  source: (text) => (text === 'src/cart.ts:12' ? 'https://github.com/octo/shop/blob/abc/src/cart.ts#L12' : null),
  steps: 3,
};

async function markup(text: string, links = NO_TEXT_LINKS): Promise<string> {
  return String(await renderText(text, links));
}

describe('what a model wrote', () => {
  it('has paragraphs, lists, headings, bold words and code', async () => {
    const text =
      'First.\nStill first.\n\n## Then\n- one\n- `two`\n  more\n\n3. three\n4. four\n```sh\nrm -rf <x>\n```\n**So** it is.';
    expect(await markup(text)).toBe(
      [
        '<p class="prose">First.\nStill first.</p>',
        '<p class="prose"><strong>Then</strong></p>',
        '<ul><li class="prose">one</li><li class="prose"><code>two</code>\nmore</li></ul>',
        '<ol start="3"><li class="prose">three</li><li class="prose">four</li></ol>',
        '<pre><code>rm -rf &lt;x&gt;</code></pre>',
        '<p class="prose"><strong>So</strong> it is.</p>',
      ].join(''),
    );
  });

  it('links to the steps of the page, and to places that the investigation knows', async () => {
    expect(await markup('Seen in [step 3] and [step 4], at `src/cart.ts:12`, not `src/cart.ts:13`.', LINKS)).toBe(
      '<p class="prose">Seen in <a class="step-link" href="#step-3">[step 3]</a> and [step 4], at ' +
        '<a href="https://github.com/octo/shop/blob/abc/src/cart.ts#L12"><code>src/cart.ts:12</code></a>, not <code>src/cart.ts:13</code>.</p>',
    );
  });

  it.each([
    ['an element', '<img src=x onerror=alert(1)>'],
    ['an element in code', '`<img src=x>`'],
    ['an element in a fence', '```\n</code></pre><script>x</script>'],
    ['an element in a list', '- <b>x</b>\n1. <i>y</i>'],
    ['a link', '[here](https://evil.example) <https://evil.example> https://evil.example'],
    ['a picture', '![x](https://evil.example/x.png)'],
    ['bold around an element', '**<u>x</u>**'],
  ])('does nothing with %s', async (_, text) => {
    const elements = [...(await markup(text, LINKS)).matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name ?? '');
    const ours = ['p', 'ul', 'ol', 'li', 'pre', 'code', 'strong'];
    expect(elements.filter((name) => !ours.includes(name))).toEqual([]);
  });

  it('loses no word, whatever marks surround it', async () => {
    const text = '**a `b** c` ``d `e` f`` [step 1][step 2] - g\n  - h\n\ti\n~~~\nj\n`k\n~~~\nl **';
    const words = (await markup(text, LINKS)).replace(/<[^>]*>/g, ' ').match(/\b[a-l]\b/g);
    expect(words).toEqual([...'abcdefghijkl']);
  });

  it('takes out what cannot be seen', async () => {
    expect(await markup('safe\u202Egnol\u200B\u0007')).toBe('<p class="prose">safegnol</p>');
  });
});
