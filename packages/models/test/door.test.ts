// What the door itself loads: a service without a model, or with a scripted one, pays for no client library.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

it('loads no client library before a model is asked', () => {
  const door = path.join(import.meta.dirname, '..', 'src', 'index.ts');
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(door)});
    console.log(JSON.stringify(loaded));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const loaded: readonly string[] = JSON.parse(printed);
  expect(loaded.some((url) => url.endsWith('/endpoint-model.ts'))).toBe(true);
  expect(loaded.filter((url) => /node_modules|\/(?:chat|responses|messages)\.ts$/.test(url))).toEqual([]);
});
