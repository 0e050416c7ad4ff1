import { making } from './making.ts';
import type { ServiceFile, ServiceOptions } from './service.ts';

const label = 'example.caregate.office';

/** A text of an XML property list. Characters that XML has no form for cannot stand in a path that anybody uses. */
export function plistText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** An agent of the user's own, which starts when she logs in (launchd.plist(5)). */
export function launchdAgent({ node, program, workingDirectory, data, home }: ServiceOptions): ServiceFile {
  const words = [node, program, 'start', '--data', data];
  const path = `${home}/Library/LaunchAgents/${label}.plist`;
  return {
    path,
    content: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${plistText(word)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${plistText(workingDirectory)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${plistText(data)}/service.log</string>
</dict>
</plist>
`,
    install: [
      making(data), // the log that launchd opens lies in it
      `launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${label}.plist`,
    ],
    uninstall: [`launchctl bootout gui/$(id -u)/${label}`, `rm ~/Library/LaunchAgents/${label}.plist`],
    look: `launchctl print gui/$(id -u)/${label}`,
  };
}
