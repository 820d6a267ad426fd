import type { PackageSettings } from './settings.ts'

/**
 * The file that builds the operator's image: compiled in one stage, without its compilers and without the server's driver in
 * the other, run by a user without rights. Built from the folder of its package.json.
 */
export function dockerfile({ main }: PackageSettings): string {
  return `FROM node:20-slim AS build
WORKDIR /operator
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /operator
COPY --from=build /operator/package.json ./
COPY --from=build /operator/node_modules ./node_modules
COPY --from=build /operator/dist ./dist
USER 1000:1000
ENTRYPOINT ["node", ${JSON.stringify(main)}]
`
}

/**
 * What is not sent to the builder of the image: packages and programs of this machine would stand in the place of those that
 * the image's own system needs.
 */
export const dockerignore = `node_modules
dist
.git
.orch
`
