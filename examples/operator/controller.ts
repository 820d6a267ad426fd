import { type AnyKind, defineController, done } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { websites } from './generated/apis/web/v1/website.ts'
import { renderPages, serverSpec, statusOf } from './site.ts'

const children: readonly AnyKind[] = [configMaps, deployments]

/**
 * Publishes websites: each one owns a ConfigMap with its pages and a Deployment that serves them.
 *
 *   reads    Website, ConfigMap, Deployment
 *   writes   ConfigMap, Deployment: create and update; Website: status, one finalizer
 *   wakes    when a Website changes, or one of the objects it owns
 *   settles  when the pages are published and the status says how many servers are ready
 */
export const websiteController = defineController({
  name: 'website',
  for: websites,
  owns: children,

  async reconcile(website, { ensure, setStatus, clock }) {
    const { name } = website.metadata
    const data = renderPages(website.spec)
    await ensure(configMaps, { metadata: { name }, data })
    const deployment = await ensure(deployments, { metadata: { name }, spec: serverSpec(website) })
    await setStatus(statusOf(website, deployment, clock.now()))
    return done
  },

  cleanup: {
    finalizer: 'web.example.com/published',
    async run(_website, { client, owned }) {
      for (const kind of children) {
        for (const object of owned(kind)) await client.resource(kind).delete(object)
      }
      return done
    },
  },
})
