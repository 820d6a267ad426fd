import { type Stored, setCondition } from 'orch'
import type { Deployment, DeploymentSpec } from 'orch/generated/apis/apps/v1/deployment'
import type { Website, WebsiteSpec, WebsiteStatus } from './generated/apis/web/v1/website.ts'

/** The files of a website: every page under its title. A website without pages has a first one that says so. */
export function renderPages({ title, pages }: WebsiteSpec): Record<string, string> {
  const texts = Object.entries(pages ?? { 'index.html': 'Nothing here yet.' })
  return Object.fromEntries(
    texts.map(([file, text]) => [file, `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p>\n`]),
  )
}

/** Web servers that show the files of the ConfigMap named like the website. */
export function serverSpec({ metadata: { name }, spec }: Stored<Website>): DeploymentSpec {
  const labels = { 'web.example.com/website': name }
  return {
    replicas: spec.servers ?? 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx:1.27',
            ports: [{ name: 'http', containerPort: 80 }],
            volumeMounts: [{ name: 'pages', mountPath: '/usr/share/nginx/html' }],
          },
        ],
        volumes: [{ name: 'pages', configMap: { name } }],
      },
    },
  }
}

/** What there is to say about a website, given the deployment that serves it. */
export function statusOf(website: Website, deployment: Deployment, now: number): WebsiteStatus {
  const { generation = 0 } = website.metadata
  const wanted = website.spec.servers ?? 1
  const ready = deployment.status?.readyReplicas ?? 0
  const message = `${ready} of ${wanted} servers answer`
  const condition =
    ready >= wanted
      ? ({ type: 'Ready', status: 'True', reason: 'Published', message } as const)
      : ({ type: 'Ready', status: 'False', reason: 'Starting', message } as const)
  return {
    observedGeneration: generation,
    pages: Object.keys(renderPages(website.spec)).length,
    readyServers: ready,
    conditions: setCondition(website.status?.conditions, condition, now),
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
