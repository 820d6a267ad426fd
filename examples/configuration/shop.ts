import { configMap, type Stated } from 'orch/build'
import type { Deployment } from 'orch/generated/apis/apps/v1/deployment'
import type { Service } from 'orch/generated/apis/core/v1/service'
import greeting from './greeting.txt'

/** A server of pages, with the settings that it reads. */
export function website(name: string, image: string) {
  const labels = { app: name }
  const deployment: Stated<Deployment> = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'web', image, envFrom: [{ configMapRef: { name: `${name}-settings` } }] },
          ],
        },
      },
    },
  }
  const service: Stated<Service> = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  }
  const settings = configMap({ name: `${name}-settings`, data: { GREETING: greeting.trim() } })
  return [deployment, service, settings]
}

/** What every environment has. */
export default ['shop', 'blog'].map((name) => website(name, `example.org/${name}:1.4`))
