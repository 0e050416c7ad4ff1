const titles = `(?:Dr|Dra|Drs|Prof|Professor|Professeur|Nurse|Sister|Mr|Mrs|Ms|Miss|Herr|Herrn|Frau|Sr|Sra|Doctor|Doctora|Docteur|Schwester|Mme|Madame|Monsieur|Pr)`;
const words = String.raw`\p{Lu}[\p{L}'’-]*\.?(?:[^\S\n]+(?:(?:de|del|de la|van|von|du|le|la)[^\S\n]+)?\p{Lu}[\p{L}'’-]+){0,3}`;
/** A name with a title before it, or with letters of a profession behind it. */
export const personName = String.raw`(?:${titles}\.?[^\S\n]+(?:(?:Dr|Prof)\.?[^\S\n]+)?(?:med\.[^\S\n]+)?${words}|\p{Lu}[\p{L}'’-]+(?:[^\S\n]+\p{Lu}\.?)?(?:[^\S\n]+\p{Lu}[\p{L}'’-]+){1,2},[^\S\n]+(?:M\.?D|D\.?O|N\.?P|R\.?N|P\.?A(?:-C)?|D\.?P\.?T|D\.?D\.?S|Ph\.?D|Pharm\.?D|F\.?N\.?P(?:-BC|-C)?|LCSW|O\.?D|AuD)\b)`;
