# Starts the build of the pull request on the port of "host:port". In your project: docker compose up, npm run preview.
SHOP_PORT="${1##*:}" SHOP_PUBLIC="${PREVIEW_PUBLIC:-public}" exec node ../shop/server.mjs
