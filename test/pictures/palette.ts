// Pictures of pages with a palette of 256 colours: what a page draws has few, and its picture is a third of the size.

import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const MAX_COLOURS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The same picture, its rarest colours replaced by those nearest to them. `page` decodes it; any page will do. */
export async function toPalette(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, pixels } = await decode(page, png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_COLOURS)
    .map(([colour]) => colour);
  const indexes = new Map(palette.map((colour, at) => [colour, at]));
  for (const colour of counts.keys()) if (!indexes.has(colour)) indexes.set(colour, findNearest(palette, colour));
  // Each row begins with its filter: none, which suits flat colours best.
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((colour, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(colour) ?? 0;
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits a pixel, of a palette.
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap(channelsOf));
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    ...[writeChunk('IHDR', head), writeChunk('PLTE', colours), writeChunk('IDAT', data)],
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** `0xrrggbb`, row by row. */
  readonly pixels: Uint32Array;
}

async function decode(page: Page, png: Buffer): Promise<Pixels> {
  const { width, height, base64 } = (await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(png.toString('base64'))}), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let text = '';
    for (let at = 0; at < data.length; at += 30000) text += String.fromCharCode(...data.subarray(at, at + 30000));
    return { width, height, base64: btoa(text) };
  })()`)) as { readonly width: number; readonly height: number; readonly base64: string };
  const data = Buffer.from(base64, 'base64');
  const pixels = Uint32Array.from({ length: width * height }, (_, at) => data.readUIntBE(at * 4, 3));
  return { width, height, pixels };
}

function channelsOf(colour: number): readonly [number, number, number] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

function findNearest(palette: readonly number[], colour: number): number {
  const own = channelsOf(colour);
  const distances = palette.map((one) =>
    channelsOf(one).reduce((sum, value, at) => sum + (value - (own[at] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function writeChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
