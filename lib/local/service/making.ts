/** The command that makes a directory which nobody else may read, as a person copies it into a POSIX shell. */
export function making(directory: string): string {
  return `mkdir -p -m 700 '${directory.replaceAll("'", "'\\''")}'`;
}
