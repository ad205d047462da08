// Words cut into the pieces that names are made of.

const [DIGIT_0, DIGIT_9] = [48, 57];
const [UPPER_A, UPPER_Z] = [65, 90];
const [LOWER_A, LOWER_Z] = [97, 122];
const LAST_ASCII = 127;

/** `parseHTTPHeader_v2` → `parse`, `http`, `header`, `v2`. */
export function nameParts(name: string): readonly string[] {
  return asciiParts(name) ?? partsOf(name);
}

function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1);
}

/** The same by code units, in a part of the time: the paths of 40,000 files are taken apart for each report. Null where a unit is beyond ASCII. */
function asciiParts(name: string): readonly string[] | null {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit > LAST_ASCII) return null;
    const isCapital = isUpper(unit);
    if (isCapital ? !beginsPart(name, at) : isLowerOrDigit(unit)) continue;
    if (at - from > 1) parts.push(name.slice(from, at).toLowerCase());
    from = isCapital ? at : at + 1;
  }
  return parts;
}

/** Of a capital: behind a small letter or a digit, and as the last of several before a small letter. */
function beginsPart(name: string, at: number): boolean {
  if (at === 0) return false;
  const before = name.charCodeAt(at - 1);
  return isLowerOrDigit(before) || (isUpper(before) && isLower(name.charCodeAt(at + 1)));
}

function isUpper(unit: number): boolean {
  return unit >= UPPER_A && unit <= UPPER_Z;
}

function isLower(unit: number): boolean {
  return unit >= LOWER_A && unit <= LOWER_Z;
}

function isLowerOrDigit(unit: number): boolean {
  return isLower(unit) || (unit >= DIGIT_0 && unit <= DIGIT_9);
}

/** Words that say nothing about where a fault is. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `about above actual actually added after again against allow also although always another anything apply around because
  been before behavior behaviour being below between bug but call called calling cannot cause caused causes change changed check
  code could create created current currently default describe description different does doing done down during each
  either environment error errors etc even every example exception expect expected expects fail failed failing fails false
  feature find first fix following found from get gets getting give given gives goes going good had happen happened happens
  has have help here how however http https info information instead into issue issues its itself just know latest like line
  log logs look make makes many may maybe mean might more most much must need needs never new non not nothing now null number
  off okay one only open other our out output over page please possible post problem provide question quite rather really
  release report reproduce reproduction request result return returned returning returns right run running same see seem
  seems set should show shown shows simple since some something sometimes steps still such summary support supported sure
  system take than thank thanks that the their them then there these they thing things think this those though through time
  times trace traceback tried true try trying two type under undefined until upon usage use used user uses using value
  values very version want was way well were what when where whether which while who why will with within without work
  worked working works would wrong yes yet you your add and are any can for github com www org have please
  the not should want seems python javascript typescript java rust golang node windows linux macos ubuntu screenshot
  additional context logs checklist searched existing discussions attach`.split(/\s+/),
);

/** Short words of English, which the list of common words leaves out, and which functions use rarely enough to look informative. */
export const SHORT_WORDS: ReadonlySet<string> = new Set(
  'am an as at be by do doesn don go he hi if in is isn it ll me my no of on or re so to up us ve we didn wasn shouldn couldn'.split(
    ' ',
  ),
);

/** Words that no reason rests on. They count in the ranking of files, as keywords of a template language may be what a report is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...COMMON_WORDS,
  ...SHORT_WORDS,
  ...`a i ago all nor off per too via few lot his her him she whole else till onto upon both own such once ever never least less
  rather same several somehow someone anyone everyone everything`.split(/\s+/),
]);
