/** A program as a container runs it: what the pod template says, its service account where clusters put it, nothing to write to. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

/** The part of a container that decides what runs. */
export interface ContainerSpec {
  readonly args?: readonly string[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } }
  }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
}

/** A probe over HTTP, whose port is one of the container's. */
export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

/** Where a container is, and who it is. */
export interface ContainerPlace {
  readonly podName: string
  readonly namespace: string
  /** A folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string
  readonly server: { readonly host: string; readonly port: number }
}

/** In a place for mounts of its own: a service account, and a root that cannot be written. */
const mounts = `
  mount -t tmpfs none "$(readlink -f /var/run)"
  mkdir -p /var/run/secrets/kubernetes.io/serviceaccount
  mount --bind "$ACCOUNT" /var/run/secrets/kubernetes.io/serviceaccount
  mount -o bind,remount,ro /
  exec "$@"
`

/** True if this machine lets a program have mounts of its own. */
export function canMount(): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
}

/** Runs `command` as the container would. */
export function runContainer(
  command: readonly string[],
  { args = [], env = [] }: ContainerSpec,
  { podName, namespace, account, server }: ContainerPlace,
): ChildProcess {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': podName,
    'metadata.namespace': namespace,
  }
  const own = env.map(({ name, value, valueFrom }) => [
    name,
    value ?? fields[valueFrom?.fieldRef.fieldPath ?? ''],
  ])
  return spawn('unshare', ['-rm', 'sh', '-ec', mounts, 'sh', ...command, ...args], {
    env: {
      ...Object.fromEntries(own),
      PATH: process.env.PATH,
      HOME: '/',
      ACCOUNT: account,
      KUBERNETES_SERVICE_HOST: server.host,
      KUBERNETES_SERVICE_PORT: String(server.port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The status of a probe's answer; 0 while there is none. */
export async function probe({ ports }: ContainerSpec, { httpGet }: Probe): Promise<number> {
  const port = ports.find(({ name }) => name === httpGet.port)?.containerPort
  return fetch(`http://127.0.0.1:${port}${httpGet.path}`).then(
    ({ status }) => status,
    () => 0,
  )
}
