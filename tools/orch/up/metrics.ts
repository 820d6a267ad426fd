/** The metrics API that runs in the process of `orch up` beside its node. */
import { readFile } from 'node:fs/promises'
import { platform as own } from '../../../generated/platform.ts'
import type { RunningApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { issueCertificate } from '../../../runtime/certificates/certificates.ts'
import { aborted } from '../../../runtime/kernel/async/abort-signal.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { clientsOf, type Running, runUntilStopped } from '../in-process.ts'
import { frontProxyTrust, type LocalCertificates } from '../local-certificates.ts'

/** What the metrics API is known by. */
export interface RunMetricsApiOptions {
  readonly platform: Platform
  readonly certificates: LocalCertificates
  readonly log: Log
}

/** Nodes are asked so often, in milliseconds. */
const everyMs = 15_000
const yearMs = 365 * 86_400_000
const hourMs = 3_600_000

/** Serves the metrics API to a server of this process until it is stopped. Its code is loaded once the server is ready. */
export function runMetricsApi(
  server: Pick<RunningApiServer, 'dispatch'>,
  { platform, certificates, log }: RunMetricsApiOptions,
): Running {
  return runUntilStopped(async (signal) => {
    const [{ metricsServiceName, registerMetricsApi, serveMetricsApi }, { createMetrics }, facts] =
      await Promise.all([
        import('../../../runtime/metrics-api/metrics-api.ts'),
        import('../../../runtime/observe/observe.ts'),
        import('../../../generated/metrics.ts'),
      ])
    const service = metricsServiceName(platform)
    const user = { username: `system:${service.name}`, groups: ['system:masters'] }
    const client = clientsOf(server)(user, service.name)
    const served = await serveMetricsApi(
      {
        ...{ client, platform, own, everyMs, clock: systemClock, log },
        metrics: createMetrics(facts.metrics, { release: own.release, daemon: 'agent' }),
        serving: {
          host: 'localhost',
          port: 0,
          certificate: await certificateOf(certificates, service),
          requestHeader: frontProxyTrust(certificates.frontProxy),
        },
      },
      signal,
    )
    try {
      const port = Number(new URL(served.url).port)
      const { taken, unregister } = await registerMetricsApi({
        ...{ client, platform, port, authority: certificates.ca },
      })
      for (const one of taken) log.warn('another server has the metrics API', { apiService: one })
      await aborted(signal)
      await unregister()
    } finally {
      await served.stop()
    }
  })
}

/** A certificate for the name of the service, which no file keeps. */
async function certificateOf(
  { ca, authorityFiles }: LocalCertificates,
  { name, namespace }: { readonly name: string; readonly namespace: string },
) {
  const now = systemClock.now()
  const authority = { cert: ca, key: await readFile(authorityFiles.keyFile, 'utf8') }
  return issueCertificate(
    {
      ...{ commonName: name, usages: ['server'], hosts: [`${name}.${namespace}.svc`] },
      ...{ validFrom: now - hourMs, validUntil: now + yearMs },
    },
    authority,
  )
}
