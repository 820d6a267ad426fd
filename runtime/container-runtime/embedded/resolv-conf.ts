import type { DnsSettings } from '../contract/container.ts'

/** The text of a file such as /etc/resolv.conf with these settings. */
export function resolvConf({ servers, searches, options }: DnsSettings): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
