import { type Finding, findingOf } from './lines.ts';
import { peopleIn } from './people.ts';

const label =
  /^[> \t•*-]{0,20}(?:clinic|hospital|practice|surgery|organisation|organization|provider|department|company|seller|shop|trust|praxis|klinik|krankenhaus|einrichtung|hôpital|clinique|établissement|centro|hospital|clínica|empresa|société)[ \t]*:[ \t]*(?<value>\S[^\n]{1,119})/gimu;

const word = String.raw`\p{Lu}[\p{L}'’&-]*\.?`;
const joint = String.raw`(?:[^\S\n]+(?:of|the|de|del|de la|de los|la|las|los|el|du|des|le|les|der|für|am|an der|im|zum|zur))`;
/** Words that end the name of an organisation. */
const endings = [
  'NHS Foundation Trust', 'NHS Trust', 'Hospital', 'Clinic', 'Surgery', 'Infirmary', 'Medical Center', 'Medical Centre', 'Medical Group', 'Medical Practice',
  'Health Center', 'Health Centre', 'Pharmacy', 'Council', 'Laboratory', 'Cardiology', 'Orthopedics', 'Physiotherapy', 'Dental Practice', 'Eye Centre', 'Eye Center',
  'Health System', 'Imaging', 'Krankenhaus', 'Klinikum', 'Klinik', 'Pflegekasse', 'Krankenkasse',
]; // biome-ignore format: a list of words
/** Words that begin it. */
const beginnings = [
  'Hospital', 'Clínica', 'Centro de Salud', 'Centro Médico', 'Ambulatorio', 'Farmacia', 'Instituto', 'Hôpital', 'Clinique', 'Centre Hospitalier', 'Centre Médical',
  "Centre d['’]Imagerie", 'Cabinet Médical', 'CHU', 'Laboratoire', 'Pharmacie', 'Klinikum', 'Klinik', 'Krankenhaus', 'Universitätsklinikum', 'Universitätsklinik',
  'Gemeinschaftspraxis', 'Praxis', 'Radiologie', 'MVZ', 'Pflegekasse', 'Apotheke', 'Caisse', 'Seguridad Social', 'Department for', 'Department of',
]; // biome-ignore format: a list of words
const ended = String.raw`(?:(?:St|Ste)\.?[^\S\n]+)?${word}(?:${joint}?[^\S\n]+${word}){0,5}[^\S\n]+(?:${endings.join('|')})`;
const begun = String.raw`(?:${beginnings.join('|')})(?:${joint}{0,2}[^\S\n]+${word}){1,5}`;
const whole = new RegExp(String.raw`(?<![\p{L}])(?<value>${begun}|${ended})(?![\p{L}])`, 'gu');
const opening =
  /^(?:The|Your|Our|Dear|At|In|From|To|Please|Thank|If|Welcome|Call|Dr|Mr|Mrs|Ms|Die|Das|Der|Ihr|Ihre|El|La|Le|Les|Su|Votre)\.?\s+/u;

/** The organisations that a text names: behind a label, or by a word that only their names have. */
export function organisationsIn(text: string): Finding[] {
  const labelled = [...text.matchAll(label)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    return peopleIn(value).length > 0 ? [] : at(text, match, value);
  });
  const named = [...text.matchAll(whole)].flatMap((match) => {
    const value = match.groups?.value ?? '';
    const start = opening.exec(value)?.[0].length ?? 0;
    return /\s/.test(value.slice(start)) ? at(text, match, value.slice(start)) : [];
  });
  return [...labelled, ...named.filter((each) => !labelled.some(({ value }) => value.includes(each.value)))];
}

function at(text: string, match: RegExpExecArray, value: string): Finding[] {
  const found = findingOf(text, match.index + match[0].lastIndexOf(value), value.length);
  return found === undefined ? [] : [found];
}
