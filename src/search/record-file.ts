// A file that only grows: digests by the id of what they were made from. A cache: whatever is wrong with it costs time, and nothing else.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type PlacedRecord, recordAt } from './records.ts';
import { readStretch, type Stretch, scanRecords } from './scan-records.ts';

/** `LEXI`, and the layout of the file. */
const FILE_MARK = [0x4958_454c, 1] as const;
const FILE_HEADER_BYTES = 16;
/** Records that lie so near to one another are read together. */
const NEAR_BYTES = 64 * 1024;
const READ_BYTES = 4 * 1024 * 1024;

export const PARTIAL = '.partial';

export interface RecordFileOptions {
  readonly file: string;
  /** Records of another version are void. */
  readonly version: number;
  /** Told of what failed; the work goes on without the file. */
  readonly onTrouble: (error: unknown) => void;
}

type Place = Pick<PlacedRecord, 'at' | 'bytes'>;

/**
 * Several processes may use one file without a lock: each appends whole records in one write behind whatever is there, nobody changes or cuts
 * what stands, and a record that was torn (a crash, a full disk) is stepped over by its checksum. Who shrinks the file puts another in its
 * place; what somebody appends to the old one meanwhile is computed once more.
 */
export class RecordFile {
  readonly #options: RecordFileOptions;
  readonly #places = new Map<string, Place>();
  #inode = 0;
  /** So far the file is known. */
  #seen = 0;
  #size = 0;
  #removed = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RecordFileOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.file;
  }

  /** Bytes of the file when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of the records of these ids. */
  sizeOf(ids: Iterable<string>): number {
    let sum = 0;
    for (const id of ids) sum += this.#places.get(id)?.bytes ?? 0;
    return sum;
  }

  /** The payloads of those of the ids that the file holds. They are views; several share their memory. */
  read(ids: readonly string[]): Promise<Map<string, Uint32Array>> {
    return this.#inTurn(new Map(), async (handle) => {
      await this.#catchUp(handle);
      const found = new Map<string, Uint32Array>();
      for (const stretch of stretchesOf(this.#placesOf(ids))) await this.#readInto(found, handle, stretch);
      return found;
    });
  }

  /** Appends whole records, as `encodeRecord` makes them. */
  append(records: Uint8Array): Promise<void> {
    return this.#inTurn(undefined, async (handle) => {
      await handle.appendFile(records);
      await this.#catchUp(handle);
    });
  }

  /** Puts a file in its place that holds only these ids. */
  shrinkTo(ids: readonly string[]): Promise<void> {
    return this.#inTurn(undefined, async (handle) => {
      const { file } = this.#options;
      const draft = `${file}.${randomBytes(6).toString('hex')}${PARTIAL}`;
      try {
        await using target = await open(draft, 'ax', 0o600);
        await target.appendFile(this.#header());
        for (const { from, to, places } of stretchesOf(this.#placesOf(ids))) {
          const bytes = await readStretch(handle, { from, to });
          const kept = [...places.values()].map((place) =>
            bytes.subarray(place.at - from, place.at - from + place.bytes),
          );
          await target.appendFile(Buffer.concat(kept));
        }
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
      this.#forgetPlaces();
    });
  }

  /** Removes the file; what is written from now on is not. */
  remove(): Promise<void> {
    this.#removed = true;
    const gone = this.#turn.then(() => rm(this.#options.file, { force: true }));
    this.#turn = gone.catch(() => undefined);
    return gone;
  }

  /** One after the other; `instead` where the file is removed or will not be used. */
  #inTurn<T>(instead: T, work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      if (this.#removed) return instead;
      try {
        await using handle = await this.#opened();
        return await work(handle);
      } catch (error) {
        this.#options.onTrouble(error);
        this.#forgetPlaces();
        return instead;
      }
    });
    this.#turn = result;
    return result;
  }

  /** The file of this version: one that is missing is made, one of another version or none at all is replaced by an empty one. */
  async #opened(): Promise<FileHandle> {
    const { file } = this.#options;
    for (let tries = 0; ; tries++) {
      const handle = await open(file, 'a+', 0o600);
      const { size, ino } = await handle.stat();
      if (size === 0) await handle.appendFile(this.#header());
      // Said to be used: the files that were not for longest go first where there are too many.
      const now = new Date();
      await handle.utimes(now, now);
      if (ino !== this.#inode || size < this.#seen) this.#forgetPlaces();
      this.#inode = ino;
      const header = await readStretch(handle, { from: 0, to: FILE_HEADER_BYTES });
      if (Buffer.compare(header, this.#header()) === 0) return handle;
      await handle.close();
      if (tries > 0) throw new Error(`${file} does not begin as it should although it was just made anew`);
      await rm(file, { force: true });
    }
  }

  #header(): Uint8Array {
    return new Uint8Array(Uint32Array.of(...FILE_MARK, this.#options.version, 0).buffer);
  }

  #forgetPlaces(): void {
    this.#places.clear();
    this.#seen = FILE_HEADER_BYTES;
    this.#inode = 0;
  }

  /** Learns where the records are that were appended since, by whomever. */
  async #catchUp(handle: FileHandle): Promise<void> {
    const { size } = await handle.stat();
    this.#size = size;
    const stretch = { from: Math.max(this.#seen, FILE_HEADER_BYTES), to: size };
    this.#seen = await scanRecords(handle, stretch, ({ id, at, bytes }) => void this.#places.set(id, { at, bytes }));
  }

  #placesOf(ids: readonly string[]): readonly (readonly [string, Place])[] {
    const known = ids.flatMap((id) => {
      const place = this.#places.get(id);
      return place === undefined ? [] : [[id, place] as const];
    });
    return known.sort(([, one], [, other]) => one.at - other.at);
  }

  /** A record that no longer holds is forgotten; it is computed and appended once more. */
  async #readInto(found: Map<string, Uint32Array>, handle: FileHandle, { from, to, places }: Run): Promise<void> {
    const bytes = await readStretch(handle, { from, to });
    for (const [id, { at }] of places) {
      const there = recordAt(bytes, at - from);
      if (there.kind === 'record' && there.record.id === id) found.set(id, there.record.payload);
      else this.#places.delete(id);
    }
  }
}

/** Records that are read together. */
interface Run extends Stretch {
  readonly places: ReadonlyMap<string, Place>;
}

function stretchesOf(places: readonly (readonly [string, Place])[]): readonly Run[] {
  const runs: { from: number; to: number; places: Map<string, Place> }[] = [];
  for (const [id, place] of places) {
    const end = place.at + place.bytes;
    const last = runs.at(-1);
    if (last !== undefined && place.at - last.to <= NEAR_BYTES && end - last.from <= READ_BYTES) {
      last.to = end;
      last.places.set(id, place);
    } else runs.push({ from: place.at, to: end, places: new Map([[id, place]]) });
  }
  return runs;
}
