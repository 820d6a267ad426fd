/** What may be set of the node agent and changes nothing yet. */
import type { Configuration } from '../../runtime/config/config.ts'
import { type OptionTable, optionsOf } from '../../runtime/kernel/options/option-table.ts'

/** Flags that the agent reads, or that are about its flags and files; the rest changes nothing. */
const effective: ReadonlySet<string> = new Set([
  ...['check-config', 'config', 'config-dir', 'feature-gates', 'help', 'version', 'v'],
  ...['orchconfig', 'orch-api-burst', 'orch-api-qps', 'container-runtime-endpoint', 'root-dir'],
  ...['healthz-bind-address', 'healthz-port', 'fail-swap-on', 'max-pods', 'sync-frequency'],
  ...['hostname-override', 'node-ip', 'node-labels', 'node-status-update-frequency', 'provider-id'],
  ...['register-node', 'register-schedulable', 'register-with-taints'],
  ...['file-check-frequency', 'http-check-frequency', 'manifest-url', 'manifest-url-header'],
  ...['pod-manifest-path', 'address', 'port', 'read-only-port', 'cert-dir', 'enable-server'],
  ...['enable-debugging-handlers', 'tls-cert-file', 'tls-private-key-file', 'tls-min-version'],
  ...['tls-cipher-suites', 'anonymous-auth', 'client-ca-file', 'authorization-mode'],
  ...['bootstrap-orchconfig', 'rotate-certificates', 'rotate-server-certificates'],
  ...['authentication-token-webhook', 'authentication-token-webhook-cache-ttl'],
  ...['eviction-hard', 'eviction-soft', 'eviction-soft-grace-period', 'eviction-minimum-reclaim'],
  ...['eviction-max-pod-grace-period', 'eviction-pressure-transition-period'],
  ...['image-gc-high-threshold', 'image-gc-low-threshold', 'minimum-image-ttl-duration'],
  ...['container-log-max-size', 'container-log-max-files', 'pod-infra-container-image'],
  ...['image-credential-provider-config', 'image-credential-provider-bin-dir'],
  ...[
    'cloud-provider',
    'cluster-dns',
    'cluster-domain',
    'resolv-conf',
    'cgroup-root',
    'cgroups-per-qos',
    'pod-cidr',
  ],
  ...['cgroup-driver', 'cpu-cfs-quota', 'cpu-cfs-quota-period', 'pod-max-pids', 'seccomp-default'],
  ...['serialize-image-pulls', 'registry-qps', 'registry-burst', 'runtime-request-timeout'],
  ...['system-reserved', 'orch-reserved', 'local-storage-capacity-isolation'],
  ...['authorization-webhook-cache-authorized-ttl', 'authorization-webhook-cache-unauthorized-ttl'],
])
/** Fields that the agent reads and that have no flag. */
const effectiveFields: ReadonlySet<string> = new Set([
  ...['kind', 'apiVersion', 'nodeStatusReportFrequency', 'nodeLeaseDurationSeconds'],
  ...['enableProfilingHandler', 'enableSystemLogHandler', 'enableDebugFlagsHandler'],
  ...['maxParallelImagePulls', 'imageMaximumGCAge', 'shutdownGracePeriod'],
  ...['shutdownGracePeriodCriticalPods', 'shutdownGracePeriodByPodPriority'],
])

/** A line for each setting that was made and changes nothing: none is left out in silence. */
export function settingsWithoutEffect(
  table: OptionTable,
  { options, root }: Configuration,
): readonly string[] {
  const all = optionsOf(table)
  const flags = all
    .filter(({ flag }) => !effective.has(flag) && options.origin(flag) === 'flag')
    .map(({ flag }) => ({ title: `--${flag}` }))
  const known = new Set(
    all.filter(({ flag }) => effective.has(flag)).map(({ field = '' }) => topOf(field)),
  )
  const entries = root.is === 'map' ? root.entries : []
  const fields = entries
    .filter(({ key, value }) => value.at.origin !== 'flag' && value.at.origin !== 'default' && key)
    .filter(({ key }) => !known.has(key) && !effectiveFields.has(key))
    .map(({ key }) => ({ title: key }))
  return [...flags, ...fields].map(
    ({ title }) => `${title} has no effect: the agent does not have what it is about yet`,
  )
}

function topOf(path: string): string {
  return path.replace(/\..*/s, '')
}
