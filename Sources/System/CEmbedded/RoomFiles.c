#include "CEmbedded.h"

// The control room of a run: its contract, and the files of the folder `page/room`.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t contract[] = {
#embed "../../../openapi/control-room.json"
};

const uint8_t *rr_room_contract(void) { return contract; }

size_t rr_room_contract_count(void) { return sizeof contract; }

static const uint8_t room_acts_js[] = {
#embed "../../../page/room/acts.js"
};
static const uint8_t room_behind_js[] = {
#embed "../../../page/room/behind.js"
};
static const uint8_t room_drawing_js[] = {
#embed "../../../page/room/drawing.js"
};
static const uint8_t room_index_html[] = {
#embed "../../../page/room/index.html"
};
static const uint8_t room_link_js[] = {
#embed "../../../page/room/link.js"
};
static const uint8_t room_map_js[] = {
#embed "../../../page/room/map.js"
};
static const uint8_t room_panels_js[] = {
#embed "../../../page/room/panels.js"
};
static const uint8_t room_phone_js[] = {
#embed "../../../page/room/phone.js"
};
static const uint8_t room_phones_js[] = {
#embed "../../../page/room/phones.js"
};
static const uint8_t room_room_css[] = {
#embed "../../../page/room/room.css"
};
static const uint8_t room_room_js[] = {
#embed "../../../page/room/room.js"
};
static const uint8_t room_slider_js[] = {
#embed "../../../page/room/slider.js"
};
static const uint8_t room_tabs_js[] = {
#embed "../../../page/room/tabs.js"
};

// A test compares this list with the folder.
static const struct rr_page_file room_files[] = {
    {"acts.js", room_acts_js, sizeof room_acts_js},
    {"behind.js", room_behind_js, sizeof room_behind_js},
    {"drawing.js", room_drawing_js, sizeof room_drawing_js},
    {"index.html", room_index_html, sizeof room_index_html},
    {"link.js", room_link_js, sizeof room_link_js},
    {"map.js", room_map_js, sizeof room_map_js},
    {"panels.js", room_panels_js, sizeof room_panels_js},
    {"phone.js", room_phone_js, sizeof room_phone_js},
    {"phones.js", room_phones_js, sizeof room_phones_js},
    {"room.css", room_room_css, sizeof room_room_css},
    {"room.js", room_room_js, sizeof room_room_js},
    {"slider.js", room_slider_js, sizeof room_slider_js},
    {"tabs.js", room_tabs_js, sizeof room_tabs_js},
};

const struct rr_page_file *rr_room_files(size_t *count) {
  *count = sizeof room_files / sizeof room_files[0];
  return room_files;
}
