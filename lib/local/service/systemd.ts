import { making } from './making.ts';
import type { ServiceFile, ServiceOptions } from './service.ts';

/**
 * A word of a command line as systemd reads it: in double quotes, with its own escapes, and with `%` and `$` doubled, since
 * both stand for something else there (systemd.service(5), Command lines).
 */
export function systemdWord(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

/** A path that is a whole value: only `%` stands for something else there (systemd.unit(5), Specifiers). */
const systemdPath = (path: string): string => path.replaceAll('%', '%%');

/** A path in a list of them: quoted, and with `%` doubled. */
const systemdListed = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;

/** A unit of the user's own: nothing runs as root, and what it may write is its data directory. */
export function systemdUnit({ node, program, workingDirectory, data, home }: ServiceOptions): ServiceFile {
  const command = [node, program, 'start', '--data', data].map(systemdWord).join(' ');
  return {
    path: `${home}/.config/systemd/user/caregate.service`,
    content: `[Unit]
Description=Caregate, a family's back office
After=network-online.target
StartLimitIntervalSec=600
StartLimitBurst=10

[Service]
ExecStart=${command}
WorkingDirectory=${systemdPath(workingDirectory)}
Restart=on-failure
RestartSec=10
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ReadWritePaths=${systemdListed(data)}
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
MemoryMax=2G

[Install]
WantedBy=default.target
`,
    install: [
      making(data), // a path that the unit may write has to be there
      'systemctl --user daemon-reload',
      'systemctl --user enable --now caregate',
      'loginctl enable-linger',
    ],
    uninstall: ['systemctl --user disable --now caregate', 'rm ~/.config/systemd/user/caregate.service'],
    look: 'systemctl --user status caregate',
  };
}
