# Starts the build of the pull request on the port of "host:port". Your project may use docker compose up, or npm run preview.
SHOP_PORT="${1##*:}" SHOP_PUBLIC="${PREVIEW_PUBLIC:-public}" exec node ../shop/server.mjs
