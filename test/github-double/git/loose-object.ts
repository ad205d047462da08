// Writes objects into a bare repository as git does, without a process for each.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** The object's id. What is there already is left as it is. */
export function writeObject(gitDir: string, type: 'blob' | 'commit' | 'tree', content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash('sha1').update(whole).digest('hex');
  const folder = join(gitDir, 'objects', sha.slice(0, 2));
  const file = join(folder, sha.slice(2));
  if (existsSync(file)) return sha;
  mkdirSync(folder, { recursive: true });
  const partial = join(folder, `tmp_obj_${randomUUID()}`);
  writeFileSync(partial, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(partial, file);
  return sha;
}
