// A picture with a palette is the picture that it was made of.
import { expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { toPalette } from './palette.ts';

it('keeps every pixel of a picture with few colours, and is smaller', async () => {
  await using browser = await openBrowser();
  const { page } = await browser.page({ viewport: { width: 120, height: 80 } });
  await page.setContent('<body style="margin:0;background:#fff"><p style="width:40px;height:30px;background:#a01c26">');
  const before = await page.screenshot();
  const after = await toPalette(page, before);
  expect(after.length).toBeLessThan(before.length);
  const same = await page.evaluate(`(async () => {
    const [one, other] = await Promise.all(${JSON.stringify([before, after].map((png) => png.toString('base64')))}.map(async (text) => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return [image.width, image.height, ...context.getImageData(0, 0, image.width, image.height).data];
    }));
    return one.length === other.length && one.every((value, at) => value === other[at]);
  })()`);
  expect(same).toBe(true);
});
