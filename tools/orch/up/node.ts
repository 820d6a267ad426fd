/** The node that runs in the process of `orch up`: this machine. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeChoice } from '../../../daemons/orchlet/open-runtime.ts'
import { type Running, runUntilStopped } from '../in-process.ts'
import { clusterDomain } from './services.ts'

/** Where the server is, and where the node keeps what it needs. */
export interface RunNodeOptions {
  readonly orchconfig: string
  readonly folder: string
  /** What its agent shows, and who vouches for those who ask it. */
  readonly files: {
    readonly certFile: string
    readonly keyFile: string
    readonly authority: string
  }
  /** The address of the name server of the cluster; none where names are not served. */
  readonly dns: readonly string[]
  /** What containers are run by; empty for the best there is. */
  readonly runtime: string
  /** Whether pods are there again at the next start: then their logs and volumes stay. */
  readonly keeps: boolean
  print(line: string): void
  printError(line: string): void
}

/** What the agent is told beside flags: it shares a machine with what else runs there, and takes any port of loopback. */
function settings({
  files: { certFile, keyFile, authority },
  dns,
  runtime,
}: Pick<RunNodeOptions, 'files' | 'dns' | 'runtime'>): string {
  return JSON.stringify({
    apiVersion: 'orchlet.config.orch.io/v1beta1',
    kind: 'OrchletConfiguration',
    ...{ failSwapOn: false, healthzPort: 0, address: '127.0.0.1', port: 0, readOnlyPort: 0 },
    ...{ tlsCertFile: certFile, tlsPrivateKeyFile: keyFile },
    ...{ clusterDNS: dns, clusterDomain },
    ...(runtime !== '' && { containerRuntimeEndpoint: runtime }),
    authentication: { x509: { clientCAFile: authority } },
  })
}

/** Runs the pods of this machine until it is stopped, and ends them then. The code is loaded with the node. */
export function runNode(node: RunNodeOptions): Running {
  const { orchconfig, folder, keeps, print, printError } = node
  return runUntilStopped(async (signal) => {
    const [{ runOrchlet }, { options }, { features }, { metrics }, { platform }] =
      await Promise.all([
        import('../../../daemons/orchlet/orchlet.ts'),
        import('../../../generated/options/orchlet.ts'),
        import('../../../generated/features.ts'),
        import('../../../generated/metrics.ts'),
        import('../../../generated/platform.ts'),
      ])
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const config = join(folder, 'orchlet.yaml')
    await writeFile(config, settings(node), { mode: 0o600 })
    const args = [`--orchconfig=${orchconfig}`, `--root-dir=${folder}`, `--config=${config}`]
    const told = (line: string) => print(line.replace(/^ready (\S+)$/, 'pods run on node $1'))
    const terminal = { args, environment: {}, width: 100, print: told, printError }
    const facts = { options, features, metrics, platform }
    const onRuntime = ({ name, why }: RuntimeChoice): void =>
      print(`containers are run by ${name}${why === '' ? '' : `: ${why}`}`)
    const code = await runOrchlet(facts, terminal, signal, { endsPods: true, onRuntime })
    if (code !== 0) throw new Error('the node of this machine cannot run')
    if (!keeps) await rm(folder, { recursive: true, force: true })
  })
}
