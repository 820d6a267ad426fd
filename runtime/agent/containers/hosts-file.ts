import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'

const header = '# Written by the agent of this node.\n'
const usual = `127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
`

/** The text of /etc/hosts of a pod: that of the node if it shares its network, else its own names; then the names that it asks for. */
export function hostsFile(
  pod: Stored<Pod>,
  names: readonly string[],
  ips: readonly string[],
  ofNode: () => string,
): string {
  const { hostAliases = [], hostNetwork } = specOf(pod)
  const own = ips.map((ip) => `${ip}\t${names.join('\t')}\n`).join('')
  const base = hostNetwork ? ofNode() : usual + own
  const aliases = hostAliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`)
  return header + base + aliases.join('')
}
