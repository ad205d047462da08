// A log as another run of the same failure would have written it: another machine, other times, another order, nothing else of the cause.

/** The same numbers for the same seed. */
export type Chance = (below: number) => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * below);
  };
}

/** What differs between two runs, each by itself. */
export const PERTURBATIONS: Readonly<Record<string, (lines: readonly string[], chance: Chance) => readonly string[]>> =
  {
    machine: (lines) => lines.map(otherMachine),
    windows: (lines) => lines.map(onWindows),
    places: (lines, chance) => otherPlaces(lines, 1 + chance(40)),
    times: (lines, chance) => lines.map((line) => otherTimes(line, chance)),
    numbers: (lines, chance) => lines.map((line) => otherNumbers(line, chance)),
    hashes: (lines, chance) => lines.map((line) => otherHashes(line, chance)),
    stamps: (lines) => lines.map(otherStamp),
    colours: (lines, chance) => lines.map((line) => otherColours(line, chance)),
    order: (lines, chance) => otherOrder(lines, chance),
    cut: (lines, chance) => lines.slice(chance(Math.floor(lines.length / 20) + 1)),
    noise: (lines, chance) => withNoise(lines, chance),
  };

/** All of them, but for Windows: no run moves there and keeps all else. */
export function anotherRun(log: string, seed: number): string {
  const chance = chanceOf(seed);
  const lines = log.split('\n');
  return Object.entries(PERTURBATIONS)
    .filter(([name]) => name !== 'windows')
    .map(([, perturb]) => perturb)
    .reduce((changed, perturb) => perturb(changed, chance), lines as readonly string[])
    .join('\n');
}

const MACHINES: readonly (readonly [RegExp, string])[] = [
  [/\/home\/runner\/work\/([\w.-]+)\/\1(?=\/|\b)/g, '/Users/runner/work/$1/$1'],
  [/\/home\/runner\b(?!\/work)/g, '/Users/runner'],
  [/\/home\/travis\/build\//g, '/home/other/build/'],
  [/\/home\/travis\//g, '/home/other/'],
  [/\/builds\/workspace\//g, '/var/jenkins_home/workspace/'],
  [/\/tmp\/(?=\w)/g, '/private/tmp/'],
];

function otherMachine(line: string): string {
  return MACHINES.reduce((text, [pattern, other]) => text.replace(pattern, other), line);
}

/** The checkout of Actions as it is there; what else Windows says is another failure. */
function onWindows(line: string): string {
  return line.replace(
    /\/home\/runner\/work\/([\w.-]+)\/\1((?:\/[\w.@+-]+)*)/g,
    (_, name: string, rest: string) => `D:\\a\\${name}\\${name}${rest.replaceAll('/', '\\')}`,
  );
}

/** As after a commit that moved the code: all lines of files so many further down. */
function otherPlaces(lines: readonly string[], by: number): readonly string[] {
  const moved = (digits: string) => String(Number(digits) + by);
  return lines.map((line) =>
    line
      .replace(
        /(?<=\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|scala|rb|c|cc|cpp|h|hpp|cs|php|groovy):\[?)\d{1,5}(?=[:,)\]\s]|$)/g,
        moved,
      )
      .replace(/(?<=", line )\d{1,5}\b/g, moved),
  );
}

/** Durations and clocks, not the stamp in front. */
function otherTimes(line: string, chance: Chance): string {
  return line
    .replace(
      /(?<![\w.:-])\d{1,5}(?:\.\d{1,6})?(?= ?(?:ms|s|sec|secs|seconds?|minutes?|m\d{1,2}s)\b)/g,
      () => `${1 + chance(90)}.${10 + chance(89)}`,
    )
    .replace(/(?<=Time elapsed: )[\d.]+/g, () => `${chance(90)}.${100 + chance(899)}`)
    .replace(/(?<=[^\d-].*)\b20\d\d-\d\d-\d\d\b/g, () => `2031-0${1 + chance(9)}-1${chance(9)}`)
    .replace(/(?<=[^\d:T].*)\b\d\d:\d\d:\d\d\b/g, () => `1${chance(9)}:2${chance(9)}:3${chance(9)}`);
}

/** Ports, numbers of processes and threads, addresses of objects. */
function otherNumbers(line: string, chance: Chance): string {
  return line
    .replace(/(?<=(?:localhost|127\.0\.0\.1|0\.0\.0\.0):)\d{4,5}\b/g, () => String(20_000 + chance(40_000)))
    .replace(/(?<=\b(?:pid|PID|process|thread)[ =:#]{1,2})\d{2,7}\b/g, () => String(1_000 + chance(60_000)))
    .replace(/(?<![\w[./@:-])\d{5,12}(?![\w\].-])/g, (digits) => `${1 + chance(9)}${digits.slice(1)}`)
    .replace(/\b0x[0-9a-f]{6,16}\b/g, () => `0x7f${hex(chance, 10)}`)
    .replace(/(?<=[\w$]@)[0-9a-f]{6,8}\b/g, () => hex(chance, 8));
}

function otherHashes(line: string, chance: Chance): string {
  return line
    .replace(
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
      () => `${hex(chance, 8)}-${hex(chance, 4)}-4${hex(chance, 3)}-a${hex(chance, 3)}-${hex(chance, 12)}`,
    )
    .replace(/\b(?=[0-9a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{32,64}\b/g, (hash) => hex(chance, hash.length))
    .replace(/(?<=\/(?:tmp|junit|pytest-of-\w+)[/\w-]{0,40}?)(?<=[-_/a-z])\d{3,19}\b/g, (digits) =>
      String(chance(10 ** Math.min(9, digits.length))),
    );
}

function hex(chance: Chance, length: number): string {
  return Array.from({ length }, (_, at) => '0123456789abcdef'[at === 0 ? 1 + chance(9) : chance(16)]).join('');
}

/** Of Actions: another moment, and with fewer digits. */
function otherStamp(line: string): string {
  return line.replace(
    /^\uFEFF?(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{7}Z/,
    (_, _y, month, day, _hour, minute, second) => `2031-${month}-${day}T07:${minute}:${second}.1234567Z`,
  );
}

/** All gone from one line of two, as tools leave them out that see no terminal; the runner's own stay. */
function otherColours(line: string, chance: Chance): string {
  const isOwn = /\u001b\[36;1m|\u001b\[32;1m\$|\u001b\[0K|travis_|##\[/.test(line);
  return isOwn || chance(2) === 0 ? line : line.replace(/\u001b\[[\d;]{0,12}m/g, '');
}

const NOISE = [
  'warning: the cache is cold',
  'Downloading a part of the index',
  'still at it',
  'INFO all is well so far',
];

/** Of what runs beside it, anywhere, also between lines that belong together. */
function withNoise(lines: readonly string[], chance: Chance): readonly string[] {
  return lines.flatMap((line) => {
    if (chance(60) !== 0) return [line];
    const stamp = /^\d{4}-\d\d-\d\dT[\d:.]+Z /.exec(line)?.[0] ?? '';
    return [line, `${stamp}${NOISE[chance(NOISE.length)]}`];
  });
}

/** Lines that name one failure each, as summaries list them. */
const LISTED =
  /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?(?:FAILED \S+::|ERROR \S+::|\[ERROR\] {2,}\S|rspec \.\/|\S+\.go:\d+:\d+: |\S+\.tsx?\(\d+,\d+\): error)/;

/** Lists of failures in another order. */
function otherOrder(lines: readonly string[], chance: Chance): readonly string[] {
  const ordered: string[] = [];
  const list: string[] = [];
  const flush = () => {
    while (list.length > 0) ordered.push(...list.splice(chance(list.length), 1));
  };
  for (const line of lines) {
    if (LISTED.test(line)) list.push(line);
    else {
      flush();
      ordered.push(line);
    }
  }
  flush();
  return ordered;
}
