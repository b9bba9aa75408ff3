FROM node:26.10.0-bookworm-slim AS parts
WORKDIR /app
COPY package.json package-lock.json ./
# The image has Node already: --omit=optional leaves out a second one from npm.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-bookworm-slim AS panel
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
COPY panel panel
# The panel shows its examples.
COPY docs/webhooks.md docs/
RUN node panel/build.ts

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATABASE_URL=file:/data/lastcall.db
RUN install -d -o node -g node /data
WORKDIR /app
COPY --from=parts /app/node_modules node_modules
COPY package.json ./
COPY src src
COPY widget widget
# `--help` shows its table of commands.
COPY docs/operating.md docs/
COPY --from=panel /app/panel/dist panel/dist
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It drains for up to ten seconds: give `docker stop` more than that.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve"]
