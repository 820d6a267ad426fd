import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from './find-on-path.ts'
import { imageArchive } from './image-archive.ts'

/** Why containerd cannot be run here; empty if it can. */
export function whyNoContainerd(): string {
  if (process.getuid?.() !== 0) return 'containerd needs root'
  const missing = ['containerd', 'ctr', 'runc', 'busybox', 'unshare'].filter(
    (name) => !findOnPath(name),
  )
  return missing.length > 0 ? `this machine has no program ${missing.join(', ')}` : ''
}

/** Where Debian has the plugins for networks. */
const plugins = '/usr/lib/cni'

/** A network of pods in which the node is the gateway. */
function networkOf(folder: string): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'addresses'),
    ranges: [[{ subnet: '10.88.0.0/16' }]],
    routes: [{ dst: '0.0.0.0/0' }],
  }
  const bridge = { type: 'bridge', bridge: 'pods0', isGateway: true, hairpinMode: true, ipam }
  return { cniVersion: '0.4.0', name: 'pods', plugins: [bridge] }
}

/** In namespaces of its own, so that nothing of it stays: starts containerd, imports the images, runs the command. */
const script = `set -e
mount --make-rshared /
mount -t tmpfs tmpfs /run
ip link set lo up
containerd --config "$1/config.toml" > "$1/log" 2>&1 &
echo $! > "$1/pid"
until ctr -a "$1/containerd.sock" version > /dev/null 2>&1; do sleep 0.05; done
for image in "$1"/*.tar; do ctr -a "$1/containerd.sock" -n k8s.io images import "$image" > /dev/null; done
shift
"$@"`

/** A program, its words and its environment. */
export interface Invocation {
  readonly program: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What runs a command with a containerd of its own, which has the image `host/sh`, and a network of pods where there are plugins for it; its socket is in the environment as CONTAINER_RUNTIME_SOCKET, beside which its configuration and the number of its process are, `config.toml` and `pid`. */
export function withContainerd(folder: string, command: readonly string[]): Invocation {
  const root = join(folder, 'image')
  mkdirSync(join(root, 'bin'), { recursive: true })
  for (const name of ['tmp', 'etc', 'proc', 'dev']) mkdirSync(join(root, name))
  const busybox = findOnPath('busybox') ?? ''
  execFileSync('cp', [busybox, join(root, 'bin/busybox')])
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const name of applets.filter((one) => one !== 'busybox')) {
    execFileSync('ln', ['-s', 'busybox', join(root, 'bin', name)])
  }
  const env = ['PATH=/bin']
  imageArchive(folder, 'localhost/pause:1', root, { Entrypoint: ['/bin/sleep', '2147483647'] })
  imageArchive(folder, 'docker.io/host/sh:latest', root, { Entrypoint: ['/bin/sh'], Env: env })
  mkdirSync(join(folder, 'network'))
  if (existsSync(join(plugins, 'bridge'))) {
    writeFileSync(join(folder, 'network/10-pods.conflist'), JSON.stringify(networkOf(folder)))
  }
  writeFileSync(
    join(folder, 'config.toml'),
    `version = 2
root = "${folder}/root"
state = "${folder}/state"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "${folder}/network"
    bin_dir = "${plugins}"
`,
  )
  const own = ['--net', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
  const words = [...own, '--mount-proc', 'sh', '-c', script, 'sh', folder, ...command]
  return {
    program: 'unshare',
    words,
    env: { CONTAINER_RUNTIME_SOCKET: join(folder, 'containerd.sock') },
  }
}
