#include "CEmbedded.h"

// Embeds files in the executable, which can therefore serve them wherever it is installed. C23 has the directive (§6.10.4),
// clang since version 19 in every language mode; the compiler records each file as a dependency, so that a change of it
// triggers a rebuild.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t contract[] = {
#embed "../../../openapi/openapi.json"
};

const uint8_t *rr_contract(void) { return contract; }

size_t rr_contract_count(void) { return sizeof contract; }

static const uint8_t access_js[] = {
#embed "../../../page/access.js"
};
static const uint8_t address_js[] = {
#embed "../../../page/address.js"
};
static const uint8_t api_js[] = {
#embed "../../../page/api.js"
};
static const uint8_t canvas_map_js[] = {
#embed "../../../page/canvas-map.js"
};
static const uint8_t transport_js[] = {
#embed "../../../page/transport.js"
};
static const uint8_t app_js[] = {
#embed "../../../page/app.js"
};
static const uint8_t charts_js[] = {
#embed "../../../page/charts.js"
};
static const uint8_t checks_js[] = {
#embed "../../../page/checks.js"
};
static const uint8_t connection_js[] = {
#embed "../../../page/connection.js"
};
static const uint8_t curl_js[] = {
#embed "../../../page/curl.js"
};
static const uint8_t device_js[] = {
#embed "../../../page/device.js"
};
static const uint8_t dom_js[] = {
#embed "../../../page/dom.js"
};
static const uint8_t errors_js[] = {
#embed "../../../page/errors.js"
};
static const uint8_t fault_kinds_js[] = {
#embed "../../../page/fault-kinds.js"
};
static const uint8_t faults_js[] = {
#embed "../../../page/faults.js"
};
static const uint8_t figures_js[] = {
#embed "../../../page/figures.js"
};
static const uint8_t filter_js[] = {
#embed "../../../page/filter.js"
};
static const uint8_t fleet_js[] = {
#embed "../../../page/fleet.js"
};
static const uint8_t format_js[] = {
#embed "../../../page/format.js"
};
static const uint8_t ground_js[] = {
#embed "../../../page/ground.js"
};
static const uint8_t heat_js[] = {
#embed "../../../page/heat.js"
};
static const uint8_t icon_svg[] = {
#embed "../../../page/icon.svg"
};
static const uint8_t index_html[] = {
#embed "../../../page/index.html"
};
static const uint8_t legend_js[] = {
#embed "../../../page/legend.js"
};
static const uint8_t list_js[] = {
#embed "../../../page/list.js"
};
static const uint8_t log_css[] = {
#embed "../../../page/log.css"
};
static const uint8_t log_js[] = {
#embed "../../../page/log.js"
};
static const uint8_t map_js[] = {
#embed "../../../page/map.js"
};
static const uint8_t marks_js[] = {
#embed "../../../page/marks.js"
};
static const uint8_t mercator_js[] = {
#embed "../../../page/mercator.js"
};
static const uint8_t order_js[] = {
#embed "../../../page/order.js"
};
static const uint8_t orders_js[] = {
#embed "../../../page/orders.js"
};
static const uint8_t panels_css[] = {
#embed "../../../page/panels.css"
};
static const uint8_t points_js[] = {
#embed "../../../page/points.js"
};
static const uint8_t presence_js[] = {
#embed "../../../page/presence.js"
};
static const uint8_t quarantine_js[] = {
#embed "../../../page/quarantine.js"
};
static const uint8_t replay_js[] = {
#embed "../../../page/replay.js"
};
static const uint8_t requests_js[] = {
#embed "../../../page/requests.js"
};
static const uint8_t rule_form_js[] = {
#embed "../../../page/rule-form.js"
};
static const uint8_t runs_js[] = {
#embed "../../../page/runs.js"
};
static const uint8_t series_js[] = {
#embed "../../../page/series.js"
};
static const uint8_t sinks_js[] = {
#embed "../../../page/sinks.js"
};
static const uint8_t states_js[] = {
#embed "../../../page/states.js"
};
static const uint8_t steering_js[] = {
#embed "../../../page/steering.js"
};
static const uint8_t streets_js[] = {
#embed "../../../page/streets.js"
};
static const uint8_t style_css[] = {
#embed "../../../page/style.css"
};
static const uint8_t tabs_js[] = {
#embed "../../../page/tabs.js"
};
static const uint8_t tokens_js[] = {
#embed "../../../page/tokens.js"
};
static const uint8_t trail_js[] = {
#embed "../../../page/trail.js"
};
static const uint8_t trails_js[] = {
#embed "../../../page/trails.js"
};
static const uint8_t trips_js[] = {
#embed "../../../page/trips.js"
};
static const uint8_t trust_css[] = {
#embed "../../../page/trust.css"
};
static const uint8_t view_js[] = {
#embed "../../../page/view.js"
};

// A test compares this list with the folder.
static const struct rr_page_file page_files[] = {
    {"access.js", access_js, sizeof access_js},
    {"address.js", address_js, sizeof address_js},
    {"api.js", api_js, sizeof api_js},
    {"canvas-map.js", canvas_map_js, sizeof canvas_map_js},
    {"transport.js", transport_js, sizeof transport_js},
    {"app.js", app_js, sizeof app_js},
    {"charts.js", charts_js, sizeof charts_js},
    {"checks.js", checks_js, sizeof checks_js},
    {"connection.js", connection_js, sizeof connection_js},
    {"curl.js", curl_js, sizeof curl_js},
    {"device.js", device_js, sizeof device_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"errors.js", errors_js, sizeof errors_js},
    {"fault-kinds.js", fault_kinds_js, sizeof fault_kinds_js},
    {"faults.js", faults_js, sizeof faults_js},
    {"figures.js", figures_js, sizeof figures_js},
    {"filter.js", filter_js, sizeof filter_js},
    {"fleet.js", fleet_js, sizeof fleet_js},
    {"format.js", format_js, sizeof format_js},
    {"ground.js", ground_js, sizeof ground_js},
    {"heat.js", heat_js, sizeof heat_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"legend.js", legend_js, sizeof legend_js},
    {"list.js", list_js, sizeof list_js},
    {"log.css", log_css, sizeof log_css},
    {"log.js", log_js, sizeof log_js},
    {"map.js", map_js, sizeof map_js},
    {"marks.js", marks_js, sizeof marks_js},
    {"mercator.js", mercator_js, sizeof mercator_js},
    {"order.js", order_js, sizeof order_js},
    {"orders.js", orders_js, sizeof orders_js},
    {"panels.css", panels_css, sizeof panels_css},
    {"points.js", points_js, sizeof points_js},
    {"presence.js", presence_js, sizeof presence_js},
    {"quarantine.js", quarantine_js, sizeof quarantine_js},
    {"replay.js", replay_js, sizeof replay_js},
    {"requests.js", requests_js, sizeof requests_js},
    {"rule-form.js", rule_form_js, sizeof rule_form_js},
    {"runs.js", runs_js, sizeof runs_js},
    {"series.js", series_js, sizeof series_js},
    {"sinks.js", sinks_js, sizeof sinks_js},
    {"states.js", states_js, sizeof states_js},
    {"steering.js", steering_js, sizeof steering_js},
    {"streets.js", streets_js, sizeof streets_js},
    {"style.css", style_css, sizeof style_css},
    {"tabs.js", tabs_js, sizeof tabs_js},
    {"tokens.js", tokens_js, sizeof tokens_js},
    {"trail.js", trail_js, sizeof trail_js},
    {"trails.js", trails_js, sizeof trails_js},
    {"trips.js", trips_js, sizeof trips_js},
    {"trust.css", trust_css, sizeof trust_css},
    {"view.js", view_js, sizeof view_js},
};

const struct rr_page_file *rr_page_files(size_t *count) {
  *count = sizeof page_files / sizeof page_files[0];
  return page_files;
}
